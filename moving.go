package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"

	"forge/agent/config"
	"forge/agent/session"
	"forge/tools/permission"
	"forge/ui"
	"forge/ui/lang"
)

// A conversation goes on in another folder. Everything that belongs to a folder is made by
// join, as at a start: there is a new forge for the new folder, which takes over the
// conversation, the model and what hides secrets once it is whole. Until then nothing
// has happened to the old one.

// moveTo makes the forge of another folder, hands it the conversation, and says what a
// screen can do there. It is called where nothing else uses the agent; life is that of the
// screen. After an error everything is as it was.
func (f *forge) moveTo(life context.Context, feed *ui.Feed, name string) (ui.Options, error) {
	dir, err := f.mayMove(name)
	if err != nil {
		return ui.Options{}, err
	}
	mode, err := f.modeIn(dir)
	if err != nil {
		return ui.Options{}, err
	}
	to := &forge{flags: f.flags, from: f, sitting: f.sits()}
	to.flags.Dir, to.flags.Mode = dir, mode
	to.flags.Prompt, to.flags.Images = "", nil
	to.flags.Continue, to.flags.Resume, to.flags.ResumeID = false, false, ""
	to.flags.NoKeep = f.forgets()
	there := to.faceOf(feed)
	if err := to.join(life, there); err != nil {
		to.shut()
		return ui.Options{}, fmt.Errorf(lang.T("%s: %w; the conversation stays where it is"), dir, err)
	}
	records, err := f.whole()
	if err != nil {
		to.shut()
		return ui.Options{}, fmt.Errorf(lang.T("%s: %w; the conversation stays where it is"), dir, err)
	}
	to.takeOver(records)
	f.undraft() // it goes along
	o := to.shown(life, there)
	greeted := o.Started
	leave := sync.OnceFunc(func() {
		defer func() {
			if p := recover(); p != nil {
				slog.Error("crashed while a folder was left", "panic", p, "stack", string(debug.Stack()))
			}
		}()
		f.shut()
	})
	to.close = slices.Insert(to.close, 0, leave) // and so last: forge does not end before the old folder is left
	o.Started = func(ctx context.Context) {
		go leave() // hooks of the end and servers may take their time
		greeted(ctx)
	}
	return o, nil
}

// mayMove is the folder a person named, as they named it, if the conversation may go on in
// it now.
func (f *forge) mayMove(name string) (string, error) {
	dir := f.spelled(name)
	if err := workable(dir); err != nil {
		return "", fmt.Errorf("%s: %w", dir, err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	if real == f.hands.workspace.Root() {
		return "", fmt.Errorf(lang.T("this conversation is in %s already"), dir)
	}
	if f.greeted != nil {
		select {
		case <-f.greeted:
		default:
			return "", errors.New(lang.T("answer first whether this folder is trusted"))
		}
	}
	running := 0
	for _, j := range f.hands.env.Jobs.List() {
		if j.Running {
			running++
		}
	}
	if running > 0 {
		return "", errors.New(lang.Count(running, "a command runs in the background here: /jobs ends it, /stop ends all of them", "%d commands run in the background here: /stop ends them"))
	}
	return dir, nil
}

// modeIn is the mode to go on with in a folder: the one there is, unless the folder's own
// settings want a stricter one.
func (f *forge) modeIn(dir string) (permission.Mode, error) {
	now := f.hands.guard.Mode()
	_, cfg, err := settings(dir)
	if err != nil {
		return now, err
	}
	mine := config.LoadUnder(config.PolicyFiles(), f.dirs.File(), "")
	if cfg.Permissions.Mode == mine.Permissions.Mode {
		return now, nil
	}
	return permission.Stricter(now, permission.Mode(cfg.Permissions.Mode)), nil
}

// whole is every record of the conversation, with what its history has no word of.
func (f *forge) whole() ([]session.Record, error) {
	if s := f.agent.Session(); s != nil && s.Saved() {
		return session.Records(s.Path(), math.MaxInt)
	}
	rs, err := f.agent.Records()
	if f.agent.Session() == nil && len(f.moves.before()) == 0 { // no header says where it began
		at := f.at()
		rs = append([]session.Record{{Moved: &at}}, rs...)
	}
	return slices.Concat(rs, f.goal.record(rs), f.loopsIn(), f.folders.record(rs), f.moves.record(f.at(), rs)), err
}

// takeOver goes on with the conversation of the forge that this one comes from.
func (f *forge) takeOver(records []session.Record) {
	was := f.from
	s, at := was.agent.Session(), f.at()
	f.feed, was.passed = was.feed, s
	f.sitting.now.Store(f)
	f.from = nil
	if !spoken(records) { // there is nothing of it yet
		was.agent.SetSession(nil, nil)
		logged("session not closed", closed(s))
		logged("no conversation", f.newSession())
	} else {
		if f.system == was.system {
			f.moves.outdated()
		}
		moved := session.Record{Moved: &at}
		if s != nil { // it is written here from now on
			logged("where the conversation is was not kept", s.Append(moved))
		}
		was.agent.SetSession(nil, nil)
		if f.journal != nil && was.journal != nil {
			f.journal.Inherit(was.journal)
		} else {
			f.journalled(false)
		}
		f.takeUp(s, append(records, moved))
		f.converse("resume", nil)
	}
	for _, dir := range was.folders.open() { // those of a conversation before this one, too
		if f.isOpen(dir) {
			continue
		}
		if _, err := f.openFolder(dir); err != nil {
			f.notices = append(f.notices, lang.T("a folder of this conversation is not open: %s", err.Error()))
			continue
		}
		f.folders.opens(dir)
	}
}

func closed(s *session.Session) error {
	if s == nil {
		return nil
	}
	return s.Close()
}
