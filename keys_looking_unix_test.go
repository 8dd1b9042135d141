//go:build unix

package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"forge/ui/keymap"
	"forge/ui/screentest"
)

// talk is what a conversation is made of: long answers, a file that is read, a plan.
const talk = `pace 100000
loop
when result[todo] /./
text Planned.
when result[read_file] read
text It was read.
when user plan
call todo {"items":[{"text":"a thing to do","status":"pending"}]}
when user read
call read_file {"path":"read.txt"}
when user wait
text I wait.
pause forever
when user /question (one|two|three)/
text
%s
when user whole
text
%s

  ~~~go
  package long // %s
  ~~~
otherwise
text So it is.
end
`

func talkScript() string {
	lines := ""
	for i := range 60 {
		lines += fmt.Sprintf("  - $1 %02d.\n", i+1)
	}
	return fmt.Sprintf(talk, lines, strings.ReplaceAll(lines, "$1", "whole"), strings.Repeat("and on ", 40))
}

var numbered = regexp.MustCompile(`(?m)^\W*(one|two|three|whole) (\d\d)\.$`)

// top is the number of the first row in view that has one.
func top(v screentest.Sight) int {
	m := numbered.FindStringSubmatch(v.Text())
	if m == nil {
		return -1
	}
	n := int(m[2][0]-'0')*10 + int(m[2][1]-'0')
	return n + map[string]int{"one": 0, "two": 100, "three": 200, "whole": 300}[m[1]]
}

// moved wants the rows in view to be others by so many, at least and at most.
func moved(from, to int) check {
	return func(before, now screentest.Sight) bool {
		a, b := top(before), top(now)
		return a > 0 && b > 0 && b-a >= from && b-a <= to
	}
}

// lookingScene is a long conversation and a prompt that is begun, or is not.
func lookingScene() scene {
	empty := doing(everything+"\x7f", shows("ask for something"))
	atTop := doing("\x1b[1;3H", shows("one 01.", "› plan"))
	amid := steps(atTop, doing("\x1b[6~", hides("› plan")))
	return scene{
		open: func(t *testing.T) *terminal {
			s := newStage(t).open(t, talkScript())
			for _, ask := range [][2]string{{"plan", "Planned."}, {"read", "It was read."}, {"question one", "one 60."}, {"question two", "two 60."}, {"question three", "three 60."}} {
				s.does(ask[0]+"\r", shows("ask for something", "? for keys", ask[1]))
			}
			return s
		},
		ground: func(s *terminal) {
			s.t.Helper()
			s.does(everything+"\x03"+everything+"\x7f", shows("ask for something"))
			s.does("\x1b[1;3F"+paste("some words"), all(caret("› some words|"), shows("three 60.")))
		},
		deeds: map[keymap.Action]deed{
			keymap.Leave:        {want: all(shows("again leaves"), hides("some words"))},
			keymap.Interrupt:    {want: shows("esc again clears the prompt")},
			keymap.NextMode:     {want: shows("accept edits"), back: steps(doing("\x1b[Z\x1b[Z\x1b[Z", hides("accept edits")))},
			keymap.FindPrompt:   {want: shows("Earlier prompts")},
			keymap.Editor:       {want: shows("here is the editor"), back: doing("\r", caret("› some words edited|"))},
			keymap.PastePicture: {want: shows("clipboard")},
			keymap.Continue:     {want: shows("nothing")},
			keymap.Uncompact:    {want: again("there is no compaction to take back")},
			keymap.Selection:    {want: shows("no editor is connected")},
			keymap.Spelling:     {want: shows("the spelling is not checked")},
			keymap.Aside:        {want: shows("takes it back"), back: doing("\x18a", caret("› some words|"))},
			keymap.Dictate:      {want: shows("no command listens here")},
			keymap.PickModel:    {want: shows("Choose")},
			keymap.NewTalk:      {want: hides("three 60."), back: steps(doing("\x18l", shows("Continue a conversation")), doing("\r", shows("three 60.")))},
			keymap.Talks:        {want: shows("Continue a conversation"), back: doing("\x1b[27u", caret("› some words|"))},
			keymap.CopyAnswer:   {want: copies("- three 01.")},
			keymap.SwapModel:    {want: shows("no other model has answered here")},
			keymap.NextModel:    {want: again("there is no other favorite model")},
			keymap.ModelBack:    {want: again("there is no other favorite model")},
			keymap.ThinkLess:    {want: shows("demo · low"), back: doing("\x1b.", hides("demo · low"))},
			keymap.ThinkMore:    {want: shows("demo · high"), back: doing("\x1b,", hides("demo · high"))},
			keymap.Unfold:       {set: atTop, want: shows("read 15."), back: doing("\x0f", hides("read 15."))},
			keymap.Todos:        {want: shows("a thing to do"), back: doing("\x14", hides("a thing to do"))},
			keymap.Timeline:     {want: shows("The prompts of this conversation", "question two"), back: doing("\x1b[27u", caret("› some words|"))},
			keymap.Brief:        {want: shows("answers alone; /focus again"), back: doing("\x18o", shows("are shown again"))},
			keymap.Panel:        {want: shows("the panel comes on"), back: doing("\x18b", caret("› some words|"))},
			keymap.Redraw:       {set: scribble, want: hides("SCRIBBLED")},
			keymap.Suspend:      {want: shows("the shell has it"), back: doing("\r", caret("› some words|"))},
			keymap.PageUp:       {want: moved(-28, -16)},
			keymap.PageDown:     {set: amid, want: moved(16, 28)},
			keymap.HalfUp:       {want: moved(-15, -9)},
			keymap.HalfDown:     {set: amid, want: moved(9, 15)},
			keymap.RowUp:        {want: moved(-1, -1)},
			keymap.RowDown:      {set: amid, want: moved(1, 1)},
			keymap.Top:          {want: shows("one 01.")},
			keymap.End:          {set: atTop, want: shows("three 60.")},
			keymap.PromptBefore: {want: heads("› question three")},
			keymap.PromptAfter:  {set: atTop, want: heads("› read")},

			keymap.EmptyLeave:    {set: empty, want: shows("the shell has it"), back: doing("\r", all(shows("ask for something"), shows("three 60.")))},
			keymap.EmptyRead:     {set: empty, want: shows("j k move")},
			keymap.EmptyCommands: {set: empty, want: shows("/help")},
			keymap.EmptyHelp:     {set: empty, want: shows("Keys and commands")},
			keymap.EmptyTop:      {set: empty, want: shows("one 01.")},
			keymap.EmptyEnd:      {set: steps(empty, atTop), want: shows("three 60.")},
			keymap.EmptyRowUp:    {set: empty, want: moved(-1, -1)},
			keymap.EmptyRowDown:  {set: steps(empty, amid), want: moved(1, 1)},
		},
	}
}

// runningScene is a run that does not end by itself.
func runningScene() scene {
	return scene{
		open: func(t *testing.T) *terminal { return newStage(t).open(t, talkScript()) },
		ground: func(s *terminal) {
			s.t.Helper()
			s.stopped()
			s.does("/new\r", all(hides("wait"), caret(nothing)))
			s.does("wait\r", shows("I wait."))
		},
		deeds: map[keymap.Action]deed{
			keymap.Leave:       {want: shows("interrupted")},
			keymap.Interrupt:   {want: shows("interrupted")},
			keymap.Send:        {set: doing("more", caret("› more|")), want: shows("1 queued")},
			keymap.Steer:       {set: doing("more", caret("› more|")), want: shows("at the next step")},
			keymap.EmptyRecall: {set: doing("more\r", shows("1 queued")), want: all(caret("› more|"), hides("1 queued"))},
			keymap.Background: {set: steps((*terminal).stopped, doing("!sleep 600\r", shows("running your command"))),
				want: all(shows("in the background"), hides("running your command"))},
			keymap.MoreTime: {set: steps((*terminal).stopped, doing("!echo beg''un; sleep 600\r", shows("begun", "running your command"))),
				want: shows("no limit of time stands on it"), back: doing("\x03", shows("cancelled"))},
		},
	}
}

// suggestedScene is an empty prompt in which the next one is suggested.
func suggestedScene() scene {
	return scene{
		open: func(t *testing.T) *terminal {
			st := newStage(t)
			config := t.TempDir()
			st.put(t, filepath.Join(config, "forge", "forge.json"), `{"screen": {"suggest": true}}`)
			st.env = append(st.env, "XDG_CONFIG_HOME="+config)
			return st.open(t, "loop\ntext So it is.\nend\naside\ntext mend the laps\nend\n")
		},
		ground: func(s *terminal) {
			s.t.Helper()
			s.does(everything+paste("go on")+"\r", caret("› |mend the laps  tab takes it"))
		},
		deeds: map[keymap.Action]deed{
			keymap.SuggestTake: {want: all(caret("› mend the laps|"), hides("tab takes it"))},
		},
	}
}

// completingScene is an open menu of commands.
func completingScene() scene {
	return scene{
		open: func(t *testing.T) *terminal { return newStage(t).open(t, talkScript()) },
		ground: func(s *terminal) {
			s.t.Helper()
			s.does(everything+"\x03"+everything+"\x7f"+paste("/m"), all(caret("› /m|"), points("/mode")))
		},
		deeds: map[keymap.Action]deed{
			keymap.MenuUp:    {want: points("/memory")},
			keymap.MenuDown:  {want: points("/model")},
			keymap.MenuTake:  {want: caret("› /mode |")},
			keymap.MenuRun:   {want: shows("How much runs without a question")},
			keymap.MenuClose: {want: hides("/model")},
		},
	}
}
