//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"forge/ui/keymap"
	"forge/ui/lang"
)

// staysAtWork starts an agent that never ends by itself.
const staysAtWork = `pace 100000
loop
when failed
text I was told.
otherwise
call task {"agent":"explore","description":"it never ends","prompt":"look"}
end
agent explore
text I look.
pause forever
end
`

// crewScene is a sub-agent at work whose card has the focus.
func crewScene() scene {
	return scene{
		open: func(t *testing.T) *terminal { return newStage(t).open(t, staysAtWork) },
		ground: func(s *terminal) {
			s.t.Helper()
			s.reached()
			s.stopped()
			s.does("/new\r", all(hides("never ends"), caret(nothing)))
			s.does("go\r", shows("I look."))
			s.does("\t", shows("│explore: it never ends", "x stop it alone"))
		},
		deeds: map[keymap.Action]deed{
			keymap.ReadOpen:  {want: all(shows("answering", "› look", "x stop it alone"), hides("› go"))},
			keymap.ReadStop:  {want: shows("I was told.")},
			keymap.ReadLeave: {set: doing("\r", hides("› go")), want: shows("│explore: it never ends", "› go")},
		},
	}
}

// threeAtWork starts three agents, which end when a file says so.
const threeAtWork = `pace 100000
text Three look.
call task {"agent":"general","description":"the left","prompt":"look left"}
call task {"agent":"general","description":"the middle","prompt":"look in the middle"}
call task {"agent":"general","description":"the right","prompt":"look right"}
end
expect failed[task]
expect result[task] no other
expect result[task] I saw left
expect result[task] I saw right
text Two have reported.
end
agent general
text I begin.
when task middle
call run_bash {"command":"echo in the midst; sleep 600"}
otherwise
call run_bash {"command":"until [ -e end ]; do sleep 0.05; done"}
end
when task left
text I saw left.
otherwise
text I saw right.
end
`

// One of three agents is found in the list, watched at work, stopped alone out of its
// view; the others go on and report, and the model goes on from there. Later, in the
// conversation gone on with, its work can be read.
func TestOneOfThreeAgentsOnATerminal(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	state := t.TempDir()
	st.env = append(st.env, "XDG_STATE_HOME="+state)
	s := st.open(t, threeAtWork, "--mode", "auto")
	s.does("go\r", shows("Three look.", "general: the left", "general: the middle", "general: the right"))
	s.does("/agents\r", shows("Sub-agents at work", "ctrl+x stop it alone"))
	s.see("general: the middle  running run_bash")
	s.does("\x1b[B\r", shows("general: the middle", "› look in the middle", "in the midst", "x stop it alone"))
	s.does("x", shows("interrupted after"))
	s.does("\x1b", shows("general: the left  running", "general: the middle  cancelled", "general: the right  running"))
	st.put(t, st.dir+"/end", "now")
	s.see("Two have reported.")
	s.does("/new\r", hides("Two have reported."))
	s.does("/resume\r", shows("esc close"))
	s.does("\r", shows("Two have reported.", "general: the middle  cancelled"))
	s.does("\t", shows("j k move"))
	s.does("k", shows("│general: the right"))
	s.does("k", shows("│general: the middle"))
	s.does("\r", shows("› look in the middle", "I begin.", "interrupted"))
	s.does("q", shows("│general: the middle"))
	s.reached()
	s.end()
}

// In lines the agents at work are listed with a number each; one of three is looked at
// and stopped by its number, during the run.
func TestOneOfThreeAgentsInLines(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{"en", "zh"} {
		t.Run(tag, func(t *testing.T) {
			t.Parallel()
			words := func(text string) string { return text }
			if tag == "zh" {
				all, err := lang.Words(tag)
				if err != nil {
					t.Fatal(err)
				}
				words = func(text string) string { return all[text] }
			}
			dir, script := t.TempDir(), filepath.Join(t.TempDir(), "three.script")
			if err := os.WriteFile(script, []byte(threeAtWork), 0o600); err != nil {
				t.Fatal(err)
			}
			h := listenTo(t, dir, nil, "--demo="+script, "--screen-reader", "--lang", tag, "-C", dir, "--mode", "auto", "--sandbox", "off")
			h.hear(words("prompt: "))
			h.send("/agents\n")
			h.hear("@explore")
			h.hear(words("prompt: "))
			h.send("go\n")
			h.hear("in the midst") // the command of the one in the middle
			// It is told of a command right before that runs.
			runs := "2: general" + words(": ") + "the middle" + words(", ") + strings.Replace(words("running %s"), "%s", "run_bash", 1)
			for tries := 0; !strings.Contains(h.text(), runs); tries++ {
				if tries == 100 {
					t.Fatalf("%q was never said:\n%s", runs, h.text())
				}
				h.send("/agents\n")
				h.hear("3: general" + words(": "))
			}
			h.send("/agents 2\n")
			h.hear("I begin.")
			h.send("/agents 9\n")
			h.hear(strings.Replace(words("there is no sub-agent %s; /agents lists them"), "%s", "9", 1))
			h.send("/agents stop 2\n")
			h.hear(strings.Replace(words("stopping %s; the others go on"), "%s", "general", 1))
			h.hear(strings.Replace(words("tool failed: %s"), "%s", "general: the middle", 1))
			if err := os.WriteFile(filepath.Join(dir, "end"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			h.hear("Two have reported.")
			h.send("/exit\n")
		})
	}
}
