package keymap

import "forge/ui/lang"

// What the keys of the screen and of the prompt do.
const (
	Leave        Action = "screen.leave"
	Interrupt    Action = "screen.interrupt"
	Steer        Action = "screen.steer"
	NextMode     Action = "screen.mode"
	FindPrompt   Action = "screen.history"
	Editor       Action = "screen.editor"
	PastePicture Action = "screen.paste-picture"
	Continue     Action = "screen.continue"
	NewTalk      Action = "screen.new"
	Talks        Action = "screen.conversations"
	CopyAnswer   Action = "screen.copy-answer"
	Uncompact    Action = "screen.uncompact"
	PickModel    Action = "screen.model"
	SwapModel    Action = "screen.model-before"
	NextModel    Action = "screen.model-next"
	ModelBack    Action = "screen.model-back"
	ThinkLess    Action = "screen.effort-less"
	ThinkMore    Action = "screen.effort-more"
	Unfold       Action = "screen.unfold"
	Todos        Action = "screen.todos"
	Panel        Action = "screen.panel"
	Brief        Action = "screen.focus"
	Timeline     Action = "screen.prompts"
	Redraw       Action = "screen.redraw"
	Selection    Action = "screen.selection"
	Spelling     Action = "screen.spelling"
	Aside        Action = "screen.aside"
	Dictate      Action = "screen.dictate"
	Suspend      Action = "screen.suspend"
	PageUp       Action = "screen.page-up"
	PageDown     Action = "screen.page-down"
	HalfUp       Action = "screen.half-up"
	HalfDown     Action = "screen.half-down"
	RowUp        Action = "screen.row-up"
	RowDown      Action = "screen.row-down"
	Top          Action = "screen.top"
	End          Action = "screen.end"
	PromptBefore Action = "screen.prompt-before"
	PromptAfter  Action = "screen.prompt-after"

	Background Action = "running.background"
	MoreTime   Action = "running.more-time"

	EmptyLeave    Action = "empty.leave"
	EmptyRecall   Action = "empty.recall"
	EmptyRead     Action = "empty.read"
	EmptyCommands Action = "empty.commands"
	EmptyHelp     Action = "empty.help"
	EmptyTop      Action = "empty.top"
	EmptyEnd      Action = "empty.end"
	EmptyRowUp    Action = "empty.row-up"
	EmptyRowDown  Action = "empty.row-down"

	SuggestTake Action = "suggest.take"

	Send            Action = "prompt.send"
	Newline         Action = "prompt.newline"
	Complete        Action = "prompt.complete"
	Expand          Action = "prompt.expand"
	Left            Action = "prompt.left"
	Right           Action = "prompt.right"
	Up              Action = "prompt.up"
	Down            Action = "prompt.down"
	WordLeft        Action = "prompt.word-left"
	WordRight       Action = "prompt.word-right"
	LineStart       Action = "prompt.line-start"
	LineEnd         Action = "prompt.line-end"
	TextStart       Action = "prompt.text-start"
	TextEnd         Action = "prompt.text-end"
	EraseLeft       Action = "prompt.erase-left"
	EraseRight      Action = "prompt.erase-right"
	CutStart        Action = "prompt.cut-start"
	CutEnd          Action = "prompt.cut-end"
	CutBlank        Action = "prompt.cut-blank"
	CutWordLeft     Action = "prompt.cut-word-left"
	CutWordRight    Action = "prompt.cut-word-right"
	Yank            Action = "prompt.yank"
	YankEarlier     Action = "prompt.yank-earlier"
	Undo            Action = "prompt.undo"
	Redo            Action = "prompt.redo"
	SelectLeft      Action = "prompt.select-left"
	SelectRight     Action = "prompt.select-right"
	SelectUp        Action = "prompt.select-up"
	SelectDown      Action = "prompt.select-down"
	SelectWordLeft  Action = "prompt.select-word-left"
	SelectWordRight Action = "prompt.select-word-right"
	SelectLineStart Action = "prompt.select-line-start"
	SelectLineEnd   Action = "prompt.select-line-end"
	SelectTextStart Action = "prompt.select-text-start"
	SelectTextEnd   Action = "prompt.select-text-end"
	SelectAll       Action = "prompt.select-all"
	Copy            Action = "prompt.copy"
	Cut             Action = "prompt.cut"

	MenuUp    Action = "menu.up"
	MenuDown  Action = "menu.down"
	MenuTake  Action = "menu.take"
	MenuRun   Action = "menu.run"
	MenuClose Action = "menu.close"
)

// sending, writing, selecting and looking are the groups of the screen and of the
// prompt. macOS' keys stand behind those of readline: its terminals send them where
// they are set up to.
func sending() Group {
	return Group{Name: "sending", Title: lang.N("Sending and stopping"), Short: true, Lines: []Binding{
		{Send, keys("enter"), lang.N("send; while a run is on: queue")},
		{Newline, keys("ctrl+j", "shift+enter", "alt+enter"), lang.N("new line")},
		{Steer, keys("ctrl+s"), lang.N("send now: the run reads it before its next step")},
		{EmptyRecall, keys("up"), lang.N("take the last queued prompt back, while the prompt is empty")},
		{SuggestTake, keys("tab", "right"), lang.N("take the prompt that is suggested, while it stands in the empty one")},
		{FindPrompt, keys("ctrl+r"), lang.N("search earlier prompts")},
		{Interrupt, keys("esc"), lang.N("interrupt the run; the draft stays")},
		{"", keys("{screen.interrupt} {screen.interrupt}"), lang.N("clear the prompt, or go back to an earlier one")},
		{Leave, keys("ctrl+c"), lang.N("interrupt the run, or clear the prompt")},
		{"", keys("{screen.leave} {screen.leave}"), lang.N("leave")},
		{EmptyLeave, keys("ctrl+d"), lang.N("leave, while the prompt is empty")},
		{NextMode, keys("shift+tab"), lang.N("next mode: ask, accept edits, plan, auto")},
		{"", keys("@", "/"), lang.N("complete a file, a command")},
		{"", keys(":"), lang.N("an emoji by name, from two letters on")},
		{"", keys("!"), lang.N("run a shell command; the model is told of it")},
		{"", keys("!!"), lang.N("run a shell command the model is not told of")},
		{"", keys("!i"), lang.N("run a shell command on your terminal, where it can ask you something; the model is told of it")},
		{EmptyCommands, keys("ctrl+p"), lang.N("all commands, while the prompt is empty")},
		{EmptyHelp, keys("?"), lang.N("these keys, while the prompt is empty")},
		{Editor, keys("ctrl+g", "ctrl+x ctrl+e"), lang.N("write in $EDITOR")},
		{Aside, keys("ctrl+x a"), lang.N("put the draft aside until something else is sent; with nothing written, take it back")},
		{Spelling, keys("ctrl+x s"), lang.N("what a word that looks wrong may have meant")},
		{Dictate, keys("ctrl+x d"), lang.N("dictate, with a command of yours that listens; end it")},
		{PastePicture, keys("ctrl+v", "alt+v"), lang.N("paste a picture from the clipboard")},
		{Selection, keys("alt+s"), lang.N("name what is selected in the editor that /ide connected")},
		{PickModel, keys("alt+p"), lang.N("choose the model")},
		{SwapModel, keys("ctrl+x m"), lang.N("the model that answered before, and back")},
		{NextModel, keys("f2", "ctrl+x f"), lang.N("the next of your favorite models, or of those used lately")},
		{ModelBack, keys("shift+f2", "ctrl+x F"), lang.N("the favorite model before it")},
		{ThinkLess, keys("alt+,"), lang.N("let the model think less")},
		{ThinkMore, keys("alt+."), lang.N("let the model think more")},
		{Continue, keys("alt+c"), lang.N("go on with what was cut off, or with the plan")},
		{Uncompact, keys("alt+u"), lang.N("take the last compaction back")},
		{NewTalk, keys("ctrl+x n"), lang.N("start a new conversation")},
		{Talks, keys("ctrl+x l"), lang.N("the conversations there are: go on with one")},
		{CopyAnswer, keys("ctrl+x y"), lang.N("copy the last answer")},
		{Background, keys("ctrl+b"), lang.N("send the command that runs to the background")},
		{MoreTime, keys("alt+m"), lang.N("give the command that runs more time before it is ended")},
		{Suspend, keys("ctrl+z"), lang.N("suspend")},
	}}
}

func looking() Group {
	return Group{Name: "looking", Title: lang.N("Looking"), Short: true, Lines: []Binding{
		{EmptyRead, keys("tab"), lang.N("read: one thing has the focus, while the prompt is empty")},
		{PageUp, keys("pgup"), lang.N("scroll up")},
		{PageDown, keys("pgdown"), lang.N("scroll down")},
		{HalfUp, keys("alt+pgup", "ctrl+alt+u"), lang.N("half a page up")},
		{HalfDown, keys("alt+pgdown", "ctrl+alt+d"), lang.N("half a page down")},
		{RowUp, keys("alt+up"), lang.N("one row up")},
		{RowDown, keys("alt+down"), lang.N("one row down")},
		{EmptyRowUp, keys("shift+up"), lang.N("one row up, while the prompt is empty")},
		{EmptyRowDown, keys("shift+down"), lang.N("one row down, while the prompt is empty")},
		{Top, keys("alt+home"), lang.N("the first row")},
		{End, keys("alt+end"), lang.N("the last row, and follow what comes")},
		{EmptyTop, keys("home", "ctrl+home"), lang.N("the first row, while the prompt is empty")},
		{EmptyEnd, keys("end", "ctrl+end"), lang.N("the last row, while the prompt is empty")},
		{PromptBefore, keys("ctrl+up"), lang.N("the prompt before")},
		{PromptAfter, keys("ctrl+down"), lang.N("the next prompt")},
		{Timeline, keys("ctrl+x g"), lang.N("the prompts of this conversation: go to one")},
		{Unfold, keys("ctrl+o"), lang.N("unfold everything, fold again")},
		{Todos, keys("ctrl+t"), lang.N("todo list")},
		{Panel, keys("ctrl+x b"), lang.N("a panel beside the conversation: how things stand, what changed")},
		{Brief, keys("ctrl+x o"), lang.N("the prompt, one row of work and the answer alone; again: back")},
		{Redraw, keys("ctrl+l"), lang.N("draw the screen anew")},
	}}
}

func writing() Group {
	return Group{Name: "writing", Title: lang.N("Writing"), Short: true, Lines: []Binding{
		{Left, keys("left", "ctrl+b"), lang.N("one character left")},
		{Right, keys("right", "ctrl+f"), lang.N("one character right")},
		{Up, keys("up", "ctrl+p"), lang.N("one row up; at the first, the prompt sent before")},
		{Down, keys("down", "ctrl+n"), lang.N("one row down; at the last, the prompt sent after it")},
		{WordLeft, keys("alt+b", "ctrl+left", "alt+left"), lang.N("one word left")},
		{WordRight, keys("alt+f", "ctrl+right", "alt+right"), lang.N("one word right")},
		{LineStart, keys("ctrl+a", "home", "super+left"), lang.N("start of the line")},
		{LineEnd, keys("ctrl+e", "end", "super+right"), lang.N("end of the line")},
		{TextStart, keys("alt+<", "ctrl+home", "super+up"), lang.N("start of the text")},
		{TextEnd, keys("alt+>", "ctrl+end", "super+down"), lang.N("end of the text")},
		{EraseLeft, keys("backspace", "ctrl+h", "shift+backspace"), lang.N("erase back")},
		{EraseRight, keys("delete", "ctrl+d"), lang.N("erase ahead")},
		{CutStart, keys("ctrl+u", "super+backspace"), lang.N("cut to the start of the line")},
		{CutEnd, keys("ctrl+k", "super+delete"), lang.N("cut to the end of the line")},
		{CutBlank, keys("ctrl+w"), lang.N("cut back to a blank")},
		{CutWordLeft, keys("alt+backspace", "ctrl+backspace"), lang.N("cut the word before")},
		{CutWordRight, keys("alt+d", "alt+delete", "ctrl+delete"), lang.N("cut the word ahead")},
		{Yank, keys("ctrl+y"), lang.N("put in what was cut last")},
		{YankEarlier, keys("alt+y"), lang.N("right after that: what was cut before it instead")},
		{Undo, keys("ctrl+_", "ctrl+/", "ctrl+-", "super+z"), lang.N("undo")},
		{Redo, keys("alt+_", "alt+/", "ctrl+shift+z", "shift+super+z"), lang.N("redo")},
		{Expand, keys("alt+e"), lang.N("put the text of a long paste in place of its placeholder")},
		{Complete, keys("tab"), lang.N("complete what is written")},
	}}
}

func selecting() Group {
	return Group{Name: "selecting", Title: lang.N("Selecting"), Short: true, Lines: []Binding{
		{SelectLeft, keys("shift+left"), lang.N("select a character back")},
		{SelectRight, keys("shift+right"), lang.N("select a character ahead")},
		{SelectUp, keys("shift+up"), lang.N("select a row up")},
		{SelectDown, keys("shift+down"), lang.N("select a row down")},
		{SelectWordLeft, keys("ctrl+shift+left", "alt+shift+left"), lang.N("select a word back")},
		{SelectWordRight, keys("ctrl+shift+right", "alt+shift+right"), lang.N("select a word ahead")},
		{SelectLineStart, keys("shift+home", "shift+super+left"), lang.N("select to the start of the line")},
		{SelectLineEnd, keys("shift+end", "shift+super+right"), lang.N("select to the end of the line")},
		{SelectTextStart, keys("ctrl+shift+home", "shift+super+up"), lang.N("select to the start of the text")},
		{SelectTextEnd, keys("ctrl+shift+end", "shift+super+down"), lang.N("select to the end of the text")},
		{SelectAll, keys("alt+a", "ctrl+x h", "super+a"), lang.N("select everything")},
		{Copy, keys("alt+w", "ctrl+insert", "super+c"), lang.N("copy what is selected")},
		{Cut, keys("shift+delete", "super+x"), lang.N("cut what is selected, onto the clipboard too")},
	}}
}

func completing() Group {
	return Group{Name: "completing", Title: lang.N("In the menu of completions"), Lines: []Binding{
		{MenuUp, keys("up", "ctrl+p"), lang.N("the line before")},
		{MenuDown, keys("down", "ctrl+n"), lang.N("the next line")},
		{MenuTake, keys("tab"), lang.N("take it")},
		{MenuRun, keys("enter"), lang.N("take it; a whole command runs")},
		{MenuClose, keys("esc"), lang.N("close the menu")},
	}}
}

func keys(list ...string) []string { return list }
