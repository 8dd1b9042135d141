//go:build unix

package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"forge/ui/keymap"
	"forge/ui/screentest"
)

// asks calls what is asked about: a long command, a short one, a change of a file.
const asks = `pace 100000
loop
when refused
text It was refused.
when result[run_bash] /./
text It was run.
when result[edit_file] /./
text It was changed.
when user long
call run_bash {"command":"%s"}
when user /short(\w*)/
call run_bash {"command":"tool$1 --go"}
when result[read_file] /edit/
call edit_file {"path":"edit.txt","edits":[%s]}
when user edit
call read_file {"path":"edit.txt"}
otherwise
text So it is.
end
`

func asksScript() string {
	var lines, edits []string
	for i := range 60 {
		lines = append(lines, fmt.Sprintf(`: row %02d`, i+1))
	}
	for i := 5; i < 60; i += 20 {
		edits = append(edits, fmt.Sprintf(`{"old_string":"edit %02d.","new_string":"changed %02d."}`, i, i))
	}
	return fmt.Sprintf(asks, strings.Join(lines, `\n`), strings.Join(edits, ","))
}

// waits wants a question to take keys: as long as it does not, the caret is in the
// prompt.
func waits(words ...string) check { return all(shows(words...), caret("")) }

// answered wants a question to be gone, and its run to have ended with some words.
func answered(words string) check {
	return all(shows(words, "? for keys"), hides("deny and say"))
}

// unasked is the ground of a new conversation without a question.
func (s *terminal) unasked() {
	s.t.Helper()
	s.stopped()
	s.does("/new\r", all(hides("It was"), hides("interrupted"), caret(nothing)))
}

// askingScene is a question about a command of many rows.
func askingScene() scene {
	low := doing("\x1b[F", shows("row 60"))
	amid := steps(doing("\x1b[F", shows("row 60")), doing("\x1b[H", shows("rows 1 to")), doing("\x1b[6~", hides("rows 1 to")))
	return scene{
		open: func(t *testing.T) *terminal {
			s := newStage(t).open(t, asksScript())
			s.does("long\r", waits("scroll to the end first"))
			return s
		},
		ground: func(s *terminal) {
			s.t.Helper()
			s.does("\x1b[F", shows("row 60"))
			s.does("\x1b[H", shows("rows 1 to"))
		},
		deeds: map[keymap.Action]deed{
			keymap.AskUp:       {set: amid, want: ranged(-1, -1)},
			keymap.AskDown:     {want: ranged(1, 1)},
			keymap.AskPageUp:   {set: low, want: ranged(-20, -8)},
			keymap.AskPageDown: {want: ranged(8, 20)},
			keymap.AskTop:      {set: low, want: shows("rows 1 to")},
			keymap.AskEnd:      {want: shows("row 60")},
			keymap.AskRead:     {want: shows("the question waits"), back: doing("q", hides("the question waits"))},
		},
	}
}

// ranges says which rows are in view: "rows 3 to 19 of 60", "3-19/40".
var ranges = regexp.MustCompile(`^ *(?:rows )?(\d+)(?: to |-)\d+(?: of |/)\d+`)

// ranged wants the first row in view of so many to be another one, by so much at
// least and at most.
func ranged(from, to int) check {
	first := func(v screentest.Sight) (n int) {
		for _, r := range v.Rows {
			if m := ranges.FindStringSubmatch(r); m != nil {
				n, _ = strconv.Atoi(m[1])
				return n
			}
		}
		return -1
	}
	return func(before, now screentest.Sight) bool {
		a, b := first(before), first(now)
		return a > 0 && b > 0 && b-a >= from && b-a <= to
	}
}

// answeringScene is a question about a command that nobody allowed yet.
func answeringScene() scene {
	n := 0
	ask := func(want check) func(s *terminal) {
		return func(s *terminal) {
			s.t.Helper()
			s.does(fmt.Sprintf("short%d\r", n), want)
		}
	}
	noted := doing("cwhy", caret("❯ why|"))
	return scene{
		open: func(t *testing.T) *terminal { return newStage(t).open(t, asksScript()) },
		ground: func(s *terminal) {
			s.t.Helper()
			n++
			s.unasked()
			s.does(fmt.Sprintf("short%d\r", n), waits(fmt.Sprintf("allow for this session: run tool%d", n)))
		},
		deeds: map[keymap.Action]deed{
			keymap.AskOnce:    {want: answered("It was run."), back: ask(shows("deny and say"))},
			keymap.AskSession: {want: answered("It was run."), back: ask(all(again("It was run."), answered("It was run.")))},
			keymap.AskRule: {want: answered("It was run."), back: func(s *terminal) {
				s.t.Helper()
				s.does("/permissions\r", shows(fmt.Sprintf("run_bash(tool%d --go)", n)))
			}},
			keymap.AskDeny:    {want: answered("It was refused.")},
			keymap.AskInstead: {want: caret("❯ |what should it do instead?")},
			keymap.AskStop:    {want: answered("interrupted")},
			keymap.AskNote:    {want: caret("❯ |goes along with your yes or no")},
			keymap.NoteDone:   {set: noted, want: shows("with the answer: why")},
			keymap.NoteClose:  {set: noted, want: hides("why")},
		},
	}
}

// reviewingScene is a question about three changes in a file.
func reviewingScene() scene {
	var file string
	var st stage
	second := doing("]", shows("hunk 2 of 3"))
	editing := doing("e", shows("ctrl+s take it"))
	written := doing("Z", shows("Zchanged 05."))
	listed := doing("l", shows("❯ edit edit.txt"))
	wide := func(s *terminal) {
		s.t.Helper()
		s.Resize(130, 30)
		s.Until("the screen is wide", func() bool { return s.Look().Shows(strings.Repeat("─", 130)) })
	}
	beside := func(_, now screentest.Sight) bool {
		return slices.ContainsFunc(now.Rows, func(r string) bool { return strings.Contains(r, "edit 05.") && strings.Contains(r, "changed 05.") })
	}
	edited := deed{want: shows("here is the editor"), back: doing("\r", waits("drop ·", "your edit"))}
	clash := func(s *terminal) {
		s.t.Helper()
		st.put(s.t, file, strings.Replace(rows("edit", 60), "edit 05.", "other 05.", 1))
		s.does("W", waits("<<<<<<< proposed"))
	}
	return scene{
		open: func(t *testing.T) *terminal {
			st = newStage(t)
			file = filepath.Join(st.dir, "edit.txt")
			return st.open(t, asksScript())
		},
		ground: func(s *terminal) {
			s.t.Helper()
			if !s.Look().Shows("drop ·", "@@") || s.Look().Shows("was changed on disk") {
				st.put(s.t, file, rows("edit", 60))
				s.unasked()
				s.does("edit\r", waits("hunk 1 of 3"))
			}
			at := 1
			for _, r := range s.Look().Rows {
				fmt.Sscanf(strings.TrimSpace(r), "hunk %d of ", &at)
			}
			keys := strings.Repeat("[", at-1)
			if !s.Look().Shows("write this change") {
				keys = "u" + keys
			}
			s.does(keys, shows("│✓ keep @@ -2,7", "hunk 1 of 3", "write this change"))
		},
		deeds: map[keymap.Action]deed{
			keymap.ReviewDrop:       {want: hides("✓ keep @@ -2,7")},
			keymap.ReviewBreak:      {want: shows("there is one change in this hunk")},
			keymap.ReviewDropFile:   {want: hides("✓ keep @@")},
			keymap.ReviewDropAll:    {want: hides("✓ keep @@")},
			keymap.ReviewBefore:     {set: second, want: shows("hunk 1 of 3")},
			keymap.ReviewNext:       {want: shows("hunk 2 of 3")},
			keymap.ReviewEdit:       {want: shows("ctrl+s take it"), back: doing("\x1b[27u", hides("ctrl+s take it"))},
			keymap.ReviewEditor:     edited,
			keymap.ReviewEditorFile: edited,
			keymap.ReviewIDE:        {want: shows("no editor offers a bridge")},
			keymap.ReviewRestore:    {set: doing("x", hides("✓ keep @@ -2,7")), want: shows("✓ keep @@ -2,7")},
			keymap.ReviewFiles:      {want: shows("❯ edit edit.txt"), back: doing("\x1b[27u", shows("✓ keep @@ -2,7"))},
			keymap.ReviewSplit:      {set: wide, want: beside, back: func(s *terminal) { s.does("v", hides("05. │")); s.Resize(100, 30) }},
			keymap.ReviewAll:        {want: answered("It was changed.")},
			keymap.ReviewHelp:       {want: shows("the file as it was proposed"), back: doing("?", shows("✓ keep @@ -2,7"))},
			keymap.ReviewTakeNew:    {set: clash, want: all(hides("<<<<<<< proposed"), shows("changed 05."))},
			keymap.ReviewTakeOld:    {set: clash, want: shows("✗ drop @@ -2,7")},
			keymap.FilesDrop:        {set: listed, want: shows("✗ drop"), back: doing("\r", shows("@@"))},
			keymap.FilesClose:       {set: listed, want: shows("@@")},
			keymap.HunkTake:         {set: steps(editing, written), want: all(shows("Zchanged 05.", "@@"), hides("ctrl+s take it"))},
			keymap.HunkLeave:        {set: editing, want: all(hides("ctrl+s take it"), shows("@@"))},
			keymap.HunkEditor:       {set: editing, want: shows("here is the editor"), back: doing("\r", waits("drop ·", "your edit"))},
		},
	}
}

// severalAsks are three changes of one answer, in three files.
const severalAsks = `pace 100000
loop
when refused
text It was refused.
when result[write_file] /./
text It was changed.
when user several
call write_file {"path":"first.txt","content":"first\n"}
call write_file {"path":"second.txt","content":"second\n"}
call write_file {"path":"third.txt","content":"third\n"}
otherwise
text So it is.
end
`

// reviewingSeveralScene is one question about the changes of an answer.
func reviewingSeveralScene() scene {
	listed := doing("l", shows("❯ new file first.txt"))
	second := doing("}", shows("change 2 of 3"))
	return scene{
		open: func(t *testing.T) *terminal { return newStage(t).open(t, severalAsks) },
		ground: func(s *terminal) {
			s.t.Helper()
			if !s.Look().Shows("make all 3 changes") {
				s.unasked()
				s.does("several\r", waits("make all 3 changes", "change 1 of 3"))
			}
			if s.Look().Shows("❯ new file") {
				s.does("\r", shows("@@"))
			}
			at := 1
			for _, r := range s.Look().Rows {
				fmt.Sscanf(strings.TrimSpace(r), "change %d of ", &at)
			}
			s.does(strings.Repeat("{", at-1), shows("change 1 of 3", "make all 3 changes"))
		},
		deeds: map[keymap.Action]deed{
			keymap.ReviewNextFile:   {want: shows("change 2 of 3")},
			keymap.ReviewFileBefore: {set: second, want: shows("change 1 of 3")},
			keymap.FilesUp:          {set: steps(listed, doing("\x1b[B", shows("❯ new file second.txt"))), want: shows("❯ new file first.txt")},
			keymap.FilesDown:        {set: listed, want: shows("❯ new file second.txt")},
			keymap.ReviewAlone:      {want: waits("1 of 3: create first.txt")},
		},
	}
}

// takingBackScene is what undoing forty new files would do.
func takingBackScene() scene {
	var st stage
	redo := func(s *terminal) {
		s.t.Helper()
		s.does("/redo\r", shows("Bring again"))
		s.does("y", shows("brought"))
		st.put(s.t, filepath.Join(st.dir, "file10"), "x\ny\n")
	}
	down := doing("\x1b[B", ranged(1, 1))
	low := doing("\x1b[F", hides("file10"))
	clean := func(s *terminal) {
		s.t.Helper()
		s.reached()
		st.put(s.t, filepath.Join(st.dir, "file10"), rows("read", 60))
		s.does("/undo\r", all(shows("esc leave everything"), hides("stays as it is")))
	}
	return scene{
		open: func(t *testing.T) *terminal {
			st = newStage(t)
			tee := "tee"
			for i := range 40 {
				tee += fmt.Sprint(" file", 10+i)
			}
			s := st.open(t, "pace 100000\nloop\nwhen result[write_file] /./\ntext It was run.\nwhen result[run_bash] /./\ncall write_file {\"path\":\"last.txt\",\"content\":\"last\\n\"}\nwhen user make\ncall run_bash {\"command\":\""+tee+" < read.txt"+"\"}\notherwise\ntext So it is.\nend\n",
				"--mode", "auto", "--sandbox", "off")
			s.does("make\r", shows("It was run.", "? for keys"))
			st.put(t, filepath.Join(st.dir, "file10"), "x\ny\n")
			return s
		},
		ground: func(s *terminal) {
			s.t.Helper()
			s.reached()
			s.does("/undo\r", shows("esc leave everything", "file10"))
		},
		deeds: map[keymap.Action]deed{
			keymap.TakebackDo:       {set: clean, want: shows("took back the changes"), back: redo},
			keymap.TakebackSure:     {want: shows("took back the changes"), back: redo},
			keymap.TakebackLess:     {want: all(shows("✓ last.txt", "esc leave everything"), hides("✓ file11"))},
			keymap.TakebackDiff:     {want: shows("read 05.")},
			keymap.TakebackUp:       {set: down, want: ranged(-1, -1)},
			keymap.TakebackDown:     {want: ranged(1, 1)},
			keymap.TakebackPageUp:   {set: low, want: ranged(-20, -5)},
			keymap.TakebackPageDown: {want: ranged(5, 20)},
			keymap.TakebackTop:      {set: low, want: shows("file10")},
			keymap.TakebackEnd:      {want: hides("file10")},
			keymap.TakebackClose:    {want: hides("esc leave everything")},
		},
	}
}
