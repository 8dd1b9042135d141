package acp

import (
	"context"
	"encoding/json"
	"slices"

	"forge/tools/permission"
	"forge/ui/lang"
	"forge/ui/safe"
)

// The options of a conversation.
const (
	optionMode   = "mode"
	optionModel  = "model"
	optionEffort = "effort"
)

// state is what a conversation can be switched between, and how it stands.
func (t *talk) state() startResult {
	r := startResult{Modes: &modeState{Current: string(t.o.Mode())}, Options: t.options()}
	for _, m := range t.o.Modes {
		r.Modes.All = append(r.Modes.All, modeInfo{string(m.ID), m.Name, m.About})
	}
	now, _ := t.o.Model()
	r.Models = &modelState{Current: now, All: []modelInfo{}}
	for _, m := range t.models() {
		r.Models.All = append(r.Models.All, modelInfo{m.ID, m.Name, m.About})
	}
	return r
}

// models are those there are, the one in use among them in any case.
func (t *talk) models() []Model {
	all := t.o.Models()
	id, name := t.o.Model()
	for _, m := range all {
		if m.ID == id {
			return all
		}
	}
	return append([]Model{{ID: id, Name: name}}, all...)
}

func (t *talk) options() []option {
	mode := option{ID: optionMode, Name: lang.T("Mode"), Description: lang.T("how much runs without a question"), Category: "mode", Type: "select", Value: string(t.o.Mode())}
	for _, m := range t.o.Modes {
		mode.Options = append(mode.Options, choice{string(m.ID), m.Name, m.About})
	}
	model := option{ID: optionModel, Name: lang.T("Model"), Category: "model", Type: "select"}
	model.Value, _ = t.o.Model()
	for _, m := range t.models() {
		model.Options = append(model.Options, choice{m.ID, m.Name, m.About})
	}
	out := []option{mode, model}
	if all, now := t.o.Efforts(); len(all) > 0 {
		effort := option{ID: optionEffort, Name: lang.T("Effort"), Description: lang.T("how much the model thinks"), Category: "thought_level", Type: "select", Value: now}
		for _, e := range all {
			effort.Options = append(effort.Options, choice{Value: e, Name: e})
		}
		out = append(out, effort)
	}
	return out
}

// OptionsChanged tells that there are other models now, or that another answers. Before
// the editor knows the conversation it would be of one that it never heard of.
func (l *Line) OptionsChanged() {
	l.mu.Lock()
	ready := l.ready
	l.stale = !ready
	l.mu.Unlock()
	if ready {
		l.t.update(update{Kind: "config_option_update", Options: l.t.options()})
	}
}

// announce tells a client what can be typed behind a slash, and, where it may be one of
// several, what the conversation is called and how it stands. It comes once the client
// knows the conversation.
func (t *talk) announce(s *server) {
	t.line.opened()
	t.commands(s)
	if !t.home.keeps {
		return
	}
	s.tells(t.o.ID, infoUpdate{Kind: "session_info_update", Title: safe.Line(t.o.Title()), Meta: &meta{t.stands()}})
}

// CommandsChanged tells of the commands there are now, where they are others.
func (l *Line) CommandsChanged() {
	l.mu.Lock()
	ready := l.ready
	l.mu.Unlock()
	if ready { // else they are told once it is
		l.t.commands(nil)
	}
}

// commands tells what there is: all who look, where it is another than was told last, or
// one who comes.
func (t *talk) commands(to *server) {
	t.telling.Lock()
	defer t.telling.Unlock()
	all := t.o.Commands()
	t.mu.Lock()
	closed := t.closed
	t.mu.Unlock()
	same := slices.Equal(all, t.told)
	if closed || to == nil && same {
		return
	}
	t.told = all
	u := update{Kind: "available_commands_update"}
	for _, c := range all {
		x := command{Name: c.Name, Description: safe.Line(c.About)}
		if c.Hint != "" {
			x.Input = &hint{safe.Line(c.Hint)}
		}
		u.Commands = append(u.Commands, x)
	}
	if to == nil || !same {
		t.update(u)
	} else {
		to.tells(t.o.ID, u)
	}
}

// setMode answers session/set_mode.
func (s *server) setMode(_ context.Context, m message) (any, error) {
	var p struct {
		ID   string `json:"sessionId"`
		Mode string `json:"modeId"`
	}
	if err := decode(m, &p); err != nil {
		return nil, err
	}
	t, err := s.open(p.ID)
	if err == nil {
		err = t.mode(p.Mode)
	}
	if err == nil {
		t.update(update{Kind: "config_option_update", Options: t.options()})
	}
	return nil, err
}

// mode changes the mode to one of those that were offered, and tells that it did.
func (t *talk) mode(id string) error {
	for _, m := range t.o.Modes {
		if string(m.ID) == id {
			t.o.SetMode(permission.Mode(id))
			t.update(update{Kind: "current_mode_update", Mode: string(t.o.Mode())})
			return nil
		}
	}
	return fail(codeParams, lang.T("there is no mode %q here", short(id)))
}

// setModel answers session/set_model, which is older than options are.
func (s *server) setModel(m message) {
	var p struct {
		ID    string `json:"sessionId"`
		Model string `json:"modelId"`
	}
	err := decode(m, &p)
	var t *talk
	if err == nil {
		t, err = s.open(p.ID)
	}
	if err != nil {
		s.reply(m, nil, err)
		return
	}
	set := t.setting(optionModel, p.Model)
	s.going(m, func() {
		err := set()
		if err == nil {
			t.update(update{Kind: "config_option_update", Options: t.options()})
		}
		s.reply(m, nil, err)
	})
}

// setOption answers session/set_config_option. The mode is in force before the next
// message is read; another model takes its time, and has its place before prompts that
// follow.
func (s *server) setOption(m message) {
	var p struct {
		ID     string          `json:"sessionId"`
		Option string          `json:"configId"`
		Value  json.RawMessage `json:"value"`
	}
	var value string
	err := decode(m, &p)
	if err == nil {
		if json.Unmarshal(p.Value, &value) != nil {
			err = fail(codeParams, lang.T("the value of an option is a text here"))
		}
	}
	var t *talk
	if err == nil {
		t, err = s.open(p.ID)
	}
	all := func() map[string]any { return map[string]any{"configOptions": t.options()} }
	switch {
	case err != nil:
		s.reply(m, nil, err)
	case p.Option == optionMode:
		if err := t.mode(value); err != nil {
			s.reply(m, nil, err)
			return
		}
		s.reply(m, all(), nil)
	default:
		set := t.setting(p.Option, value)
		s.going(m, func() {
			if err := set(); err != nil {
				s.reply(m, nil, err)
				return
			}
			s.reply(m, all(), nil)
		})
	}
}

// setting takes a place for a change of the model or its effort, and gives what makes it.
// While a prompt is worked on, it is made before the next call of the model.
func (t *talk) setting(option, value string) func() error {
	running := t.busy()
	var wait <-chan struct{}
	leave := func() {}
	if !running {
		wait, leave = t.place()
	}
	return func() error {
		defer leave()
		if wait != nil {
			<-wait
		}
		switch option {
		case optionModel:
			for _, m := range t.models() {
				if m.ID == value {
					return t.o.SetModel(value, running)
				}
			}
			return fail(codeParams, lang.T("there is no model %q here", short(value)))
		case optionEffort:
			all, _ := t.o.Efforts()
			for _, e := range all {
				if e == value {
					return t.o.SetEffort(value, running)
				}
			}
			return fail(codeParams, lang.T("the model has no effort %q", short(value)))
		}
		return fail(codeParams, lang.T("there is no option %q", short(option)))
	}
}
