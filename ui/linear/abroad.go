package linear

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"forge/tools"
	"forge/tools/diff"
	"forge/tools/permission"
	"forge/ui/lang"
	"forge/ui/safe"
)

// shown brings what became of a change in the editor to the question it is for.
type shown struct {
	of       *ask
	sent     []byte
	accepted bool
	text     string
	err      error
}

// editable reports whether the connected editor can show what a question is about, and
// say its answer: one file that is text.
func (a *ask) editable() bool {
	if a.p.Show == nil || len(a.p.Request.With) > 0 || len(a.files) != 1 {
		return false
	}
	f := a.files[0]
	after := f.after()
	return f.change.Op != tools.Delete && f.change.Op != tools.Move && utf8.Valid(after) && !isBinary(f.before) && !isBinary(after)
}

// after is the text as it would be written.
func (f file) after() []byte { return diff.Apply(f.before, f.hunks) }

// abroad has the editor show the change. The question stays open here.
func (a *ask) abroad() []string {
	text := a.files[0].after()
	a.shut()
	a.closed = a.p.Show(a.files[0].change.Path, text, func(accepted bool, now string, err error) {
		a.send(shown{a, text, accepted, now, err})
	})
	return []string{lang.T("the editor is asked to show it; it can be answered there or here")}
}

// shut closes in the editor what is open there.
func (a *ask) shut() {
	if a.closed != nil {
		a.closed()
		a.closed = nil
	}
}

// arrived takes the editor's answer.
func (a *ask) arrived(s shown) (over bool, say string) {
	if a.closed == nil {
		return false, ""
	}
	a.closed = nil
	what := lang.T("turned down in the editor")
	if s.accepted {
		what = lang.T("accepted in the editor")
	}
	f := a.files[0]
	text := []byte(s.text)
	if s.accepted && s.text != string(s.sent) {
		text = diff.LikeBefore(s.sent, text)
	}
	switch {
	case s.err != nil:
		return false, errorLine(s.err)
	case a.p.Request.Level >= permission.High:
		return false, what + lang.T("; ") + lang.T("the risk is high, so the answer is given here")
	case a.p.Counts == nil || !a.p.Counts():
		return false, what + lang.T("; ") + lang.T("the answer is given here")
	case !s.accepted:
		a.all(permission.Answer{})
		return true, what + lang.T("; ") + lang.T("denied")
	case hides(f.before, text):
		return false, what + lang.T("; ") + lang.T("it holds characters that hide or imitate, so read it here")
	case f.change.Conflicts > 0 && diff.Unsettled(text) > 0:
		return false, what + lang.T("; ") + lang.T("it holds conflicts")
	}
	answer := permission.Answer{Allow: true, Scope: permission.ScopeOnce}
	if !bytes.Equal(text, s.sent) || f.change.Conflicts > 0 {
		c := f.change
		after, err := f.coding.Encode(text)
		if err != nil {
			return false, errorLine(err)
		}
		c.After, c.Conflicts = after, 0
		answer.Changes = []tools.Change{c}
		what = lang.T("accepted in the editor, with your edits")
	}
	a.all(answer)
	return true, what
}

// hides reports whether lines that are new hold what hides or imitates.
func hides(before, after []byte) bool {
	for _, h := range diff.Hunks(before, after) {
		if safe.Suspicious(strings.ReplaceAll(string(h.After()), "\r\n", "\n")) {
			return true
		}
	}
	return false
}

// shown gives the editor's answer to its question, if that is still open.
func (f *face) shown(s shown) {
	for i, q := range f.open {
		if q != question(s.of) {
			continue
		}
		over, say := s.of.arrived(s)
		if say != "" {
			f.say(say)
		}
		if over {
			f.open = append(f.open[:i], f.open[i+1:]...)
			if i == 0 {
				f.ask()
			}
		}
		return
	}
}
