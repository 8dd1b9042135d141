//go:build unix

package main

import (
	"strings"
	"testing"

	"forge/ui/keymap"
)

// paste is text as terminals paste it.
func paste(text string) string { return "\x1b[200~" + text + "\x1b[201~" }

// everything selects what is written, so that what comes next takes its place.
const everything = "\x1ba"

// drafted is the ground of a prompt of three lines with the caret in the middle of one.
func (s *terminal) drafted() {
	s.t.Helper()
	draft := all(shows("› one two", "  six seven"), caret("three fou|r five"), marked())
	if now := s.Look(); draft(now, now) { // what is waited for must not be there before
		s.does(everything+paste("begin"), caret("› begin|"))
	}
	s.does(everything+paste("one two\nthree four five\nsix seven")+"\x1b[A", draft)
}

// writingScene is such a prompt, for moving in it and changing it.
func writingScene() scene {
	cut := doing("\x17", caret("three |r five"))                                                      // ctrl+w
	cutTwice := steps(cut, doing("\x1b[D", caret("three| r five")), doing("\x17", caret("| r five"))) // a move parts them
	return scene{
		open: func(t *testing.T) *terminal {
			return newStage(t).open(t, "loop\ntext So it is.\nend\n")
		},
		ground: (*terminal).drafted,
		deeds: map[keymap.Action]deed{
			keymap.Send:         {want: all(shows("So it is.", "ask for something", "? for keys"), hides("› one two\n  three four five\n  six seven\n  ask"))},
			keymap.Newline:      {want: all(shows("  three fou\n  r five"), caret("|r five"))},
			keymap.Complete:     {set: steps(doing(everything+paste("/mod"), shows("/model")), doing("\x1b", hides("choose the model"))), want: shows("/model")},
			keymap.Expand:       {set: doing(everything+paste(strings.Repeat("long\n", 29)+"the end"), shows("[paste ")), want: shows("the end")},
			keymap.Left:         {want: caret("three fo|ur five")},
			keymap.Right:        {want: caret("three four| five")},
			keymap.Up:           {want: caret("› one two|")},
			keymap.Down:         {want: caret("six seven|")},
			keymap.WordLeft:     {want: caret("three |four five")},
			keymap.WordRight:    {want: caret("three four| five")},
			keymap.LineStart:    {want: caret("|three four five")},
			keymap.LineEnd:      {want: caret("three four five|")},
			keymap.TextStart:    {want: caret("› |one two")},
			keymap.TextEnd:      {want: caret("six seven|")},
			keymap.EraseLeft:    {want: caret("three fo|r five")},
			keymap.EraseRight:   {want: caret("three fou| five")},
			keymap.CutStart:     {want: caret("|r five")},
			keymap.CutEnd:       {want: caret("three fou|")},
			keymap.CutBlank:     {want: caret("three |r five")},
			keymap.CutWordLeft:  {want: caret("three |r five")},
			keymap.CutWordRight: {want: caret("three fou| five")},
			keymap.Yank:         {set: cutTwice, want: caret("three| r five")},
			keymap.YankEarlier:  {set: steps(cutTwice, doing("\x19", caret("three| r five"))), want: caret("fou| r five")},
			keymap.Undo:         {set: cut, want: caret("three fou|r five")},
			keymap.Redo:         {set: steps(cut, doing("\x1f", caret("three fou|r five"))), want: caret("three |r five")},
		},
	}
}

// selectingScene is such a prompt, for selecting in it.
func selectingScene() scene {
	marks := doing("\x1b[1;2D", marked("u")) // shift+left
	return scene{
		open:   func(t *testing.T) *terminal { return newStage(t).open(t, talkScript()) },
		ground: (*terminal).drafted,
		deeds: map[keymap.Action]deed{
			keymap.SelectLeft:      {want: marked("u")},
			keymap.SelectRight:     {want: marked("r")},
			keymap.SelectUp:        {want: marked(" ", "three fou")},
			keymap.SelectDown:      {want: marked("r five ", "six seven")},
			keymap.SelectWordLeft:  {want: marked("fou")},
			keymap.SelectWordRight: {want: marked("r")},
			keymap.SelectLineStart: {want: marked("three fou")},
			keymap.SelectLineEnd:   {want: marked("r five")},
			keymap.SelectTextStart: {want: marked("one two ", "three fou")},
			keymap.SelectTextEnd:   {want: marked("r five ", "six seven")},
			keymap.SelectAll:       {want: marked("one two ", "three four five ", "six seven")},
			keymap.Copy:            {set: marks, want: copies("u")},
			keymap.Cut:             {set: marks, want: all(copies("u"), caret("three fo|r five"))},
		},
	}
}
