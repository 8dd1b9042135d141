//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"forge/agent/session"
	"forge/provider"
	"forge/ui/keymap"
)

// focused wants the thing that has the focus to begin with some words.
func focused(words string) check { return shows("│" + words) }

// reached is the ground of a screen with nothing over it and nothing written.
func (s *terminal) reached() {
	s.t.Helper()
	s.does(everything+"\x03"+strings.Repeat(everything+"\x1b[27u", 2)+everything+"\x7f", caret(nothing))
}

// readingScene is a conversation with the focus on its last answer.
func readingScene() scene {
	atFirst := doing("g", focused("read"))
	half := doing("\x04", moved(9, 15))
	finding := doing("/two", begins("/two|"))
	ran := doing("[[[k", focused("! echo ran it"))
	left := func(s *terminal) { s.answer("Run this on your terminal?", "n"); s.lose("Run this on your terminal?") }
	return scene{
		open: func(t *testing.T) *terminal {
			s := newStage(t).open(t, talkScript())
			for _, ask := range [][2]string{{"read", "It was read."}, {"!echo ran it", "✓ ! echo ran it"}, {"whole", "package long"}, {"question one", "one 60."}, {"question two", "two 60."}} {
				s.does(ask[0]+"\r", shows("ask for something", "? for keys", ask[1]))
			}
			return s
		},
		ground: func(s *terminal) {
			s.t.Helper()
			s.reached()
			s.does("\x1b[1;3F\t", all(shows("j k move"), focused("• two 01.")))
		},
		deeds: map[keymap.Action]deed{
			keymap.ReadNext:         {set: atFirst, want: focused("read read.txt")},
			keymap.ReadBefore:       {set: steps(atFirst, doing("j", focused("read read.txt"))), want: shows("›│read")},
			keymap.ReadPromptBefore: {want: focused("question two")},
			keymap.ReadPromptNext:   {set: atFirst, want: focused("whole")},
			keymap.ReadTop:          {want: focused("read")},
			keymap.ReadEnd:          {set: atFirst, want: focused("• two 01.")},
			keymap.ReadHalfUp:       {set: half, want: moved(-15, -9)},
			keymap.ReadHalfDown:     {want: moved(9, 15)},
			keymap.ReadOpen:         {want: shows("esc closes")},
			keymap.ReadTerminal:     {set: ran, want: shows("Run this on your terminal?"), back: left},
			keymap.PagerTerminal:    {set: steps(ran, doing("\r", shows("esc closes"))), want: shows("Run this on your terminal?"), back: left},
			keymap.ReadFold:         {set: steps(atFirst, doing("j", focused("read read.txt"))), want: shows("read 05."), back: doing(" ", hides("read 05."))},
			keymap.ReadCopy:         {want: copies("- two 01.\n")},
			keymap.ReadCopyCode:     {set: doing("[[[j", focused("• whole 01.")), want: copies("package long")},
			keymap.ReadFind:         {want: begins("/|")},
			keymap.ReadHitNext:      {set: steps(finding, doing("\r", shows("61 of 61"))), want: shows(" 1 of 61")},
			keymap.ReadHitBefore:    {set: steps(finding, doing("\r", shows("61 of 61"))), want: shows("60 of 61")},
			keymap.ReadAll:          {want: shows("- two 60.", "esc closes")},
			keymap.ReadHelp:         {want: shows("Keys and commands")},
			keymap.ReadLeave:        {want: hides("j k move")},

			keymap.LineDone:  {set: finding, want: shows("n N next")},
			keymap.LineErase: {set: finding, want: begins("/tw|")},
			keymap.LineClear: {set: finding, want: begins("/|")},
			keymap.LineClose: {set: finding, want: all(hides("/two"), shows("j k move"))},
		},
	}
}

// pagingScene is one thing shown whole, from its fourteenth row on.
func pagingScene() scene {
	atEnd := doing("G", shows("package long"))
	unwrapped := doing("gw", shows("- whole 01."))
	finding := doing("/whole 3\r", shows("whole 3  1 of 10"))
	closed := func(s *terminal) { s.t.Helper(); s.reached() }
	return scene{
		open: func(t *testing.T) *terminal {
			s := newStage(t).open(t, talkScript())
			s.does("whole\r", shows("ask for something", "? for keys", "package long"))
			return s
		},
		ground: func(s *terminal) {
			s.t.Helper()
			s.reached()
			s.does("\t", shows("j k move"))
			s.does("\r", shows("esc closes", "whole 01."))
			s.does("d", moved(9, 15))
		},
		deeds: map[keymap.Action]deed{
			keymap.PagerUp:        {want: moved(-1, -1)},
			keymap.PagerDown:      {want: moved(1, 1)},
			keymap.PagerPageUp:    {set: atEnd, want: moved(-30, -20)},
			keymap.PagerPageDown:  {want: moved(20, 30)},
			keymap.PagerHalfUp:    {want: moved(-15, -9)},
			keymap.PagerHalfDown:  {want: moved(9, 15)},
			keymap.PagerTop:       {want: shows("whole 01.")},
			keymap.PagerEnd:       {want: shows("package long")},
			keymap.PagerFind:      {want: begins("/|")},
			keymap.PagerHitNext:   {set: finding, want: shows("2 of 10")},
			keymap.PagerHitBefore: {set: finding, want: shows("10 of 10")},
			keymap.PagerCopy:      {want: copies("- whole 01.\n")},
			keymap.PagerCopyCode:  {want: copies("package long")},
			keymap.PagerSave:      {want: begins("save as: ")},
			keymap.PagerWrap:      {want: shows("- whole 14.")},
			keymap.PagerRight:     {set: unwrapped, want: all(hides("- whole"), shows("01."))},
			keymap.PagerLeft:      {set: steps(unwrapped, doing("l", hides("- whole"))), want: shows("- whole 01.")},
			keymap.PagerEditor:    {want: shows("here is the editor"), back: doing("\r", shows("esc closes"))},
			keymap.PagerProgram:   {want: shows("here is the pager"), back: doing("\r", shows("esc closes"))},
			keymap.PagerOther:     {set: steps(closed, doing("/diff\r", shows("tab this"))), want: shows("Changes of this conversation")},
			keymap.PagerResume:    {set: steps(closed, doing("/search whole\r", shows("esc close")), doing("\r", shows("r goes on"))), want: all(hides("r goes on"), shows("package long"))},
			keymap.PagerRedraw:    {set: scribble, want: hides("SCRIBBLED")},
			keymap.PagerSuspend:   {want: shows("the shell has it"), back: doing("\r", shows("esc closes"))},
			keymap.PagerClose:     {want: hides("esc closes")},
		},
	}
}

// choosingScene is a list of thirty conversations.
func choosingScene() scene {
	low := doing("\x1b[6~", points("talk 11"))
	second := steps(doing("\x1b", hides("esc close")), doing("/statusline\r", points("vim")), doing("\x1b[A\r", points("as usual")),
		doing("\x1b[B\x1b[B", all(points("mode"), shows("mode ✓  left 2"))))
	return scene{
		open: func(t *testing.T) *terminal {
			st := newStage(t)
			state := t.TempDir()
			st.env = append(st.env, "XDG_STATE_HOME="+state)
			for i := range 30 {
				storeTalk(t, filepath.Join(state, "forge", "sessions"), st.dir, fmt.Sprintf("talk %02d", i+1), time.Duration(i)*time.Hour)
			}
			return st.open(t, talkScript())
		},
		ground: func(s *terminal) {
			s.t.Helper()
			s.reached()
			s.does("/resume\r", points("talk 01"))
		},
		deeds: map[keymap.Action]deed{
			keymap.ListUp:       {set: low, want: points("talk 10")},
			keymap.ListDown:     {want: points("talk 02")},
			keymap.ListPageUp:   {set: low, want: points("talk 01")},
			keymap.ListPageDown: {want: points("talk 11")},
			keymap.ListChoose:   {want: all(shows("› talk 01"), hides("esc close")), back: doing("/new\r", hides("› talk 01"))},
			keymap.ListRename:   {want: begins("❯ talk 01|")},
			keymap.ListDelete:   {want: shows("Delete this conversation")},
			keymap.ListClose:    {want: hides("esc close")},
			keymap.ListFavorite: {set: steps(doing("\x1b", hides("esc close")), doing("/model\r", points("demo/demo"))), want: shows("★ demo/demo"), back: steps(doing("\x06", hides("★")), doing("\x1b", hides("esc close")))},
			keymap.ListEarlier:  {set: second, want: shows("mode ✓  left 1"), back: doing("\x1b", hides("esc close"))},
			keymap.ListLater:    {set: second, want: shows("mode ✓  left 3"), back: doing("\x1b", hides("esc close"))},
		},
	}
}

// storeTalk keeps a conversation of one prompt, as old as said.
func storeTalk(t *testing.T, dir, cwd, prompt string, old time.Duration) {
	t.Helper()
	s, err := session.Create(dir, cwd, "")
	if err != nil {
		t.Fatal(err)
	}
	ask, answer := provider.UserText(prompt), provider.Message{Role: provider.Assistant, Blocks: []provider.Block{provider.Text{Text: "So it was."}}}
	for _, m := range []*provider.Message{&ask, &answer} {
		if err := s.Append(session.Record{Message: m}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-old)
	if err := os.Chtimes(s.Path(), at, at); err != nil {
		t.Fatal(err)
	}
}
