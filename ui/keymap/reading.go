package keymap

import "forge/ui/lang"

// What keys do where text is read.
const (
	ReadLeave        Action = "read.leave"
	ReadNext         Action = "read.next"
	ReadBefore       Action = "read.before"
	ReadPromptBefore Action = "read.prompt-before"
	ReadPromptNext   Action = "read.prompt-next"
	ReadTop          Action = "read.top"
	ReadEnd          Action = "read.end"
	ReadHalfUp       Action = "read.half-up"
	ReadHalfDown     Action = "read.half-down"
	ReadOpen         Action = "read.open"
	ReadStop         Action = "read.stop"
	ReadTerminal     Action = "read.terminal"
	ReadFold         Action = "read.fold"
	ReadCopy         Action = "read.copy"
	ReadCopyCode     Action = "read.copy-code"
	ReadFind         Action = "read.find"
	ReadHitNext      Action = "read.hit-next"
	ReadHitBefore    Action = "read.hit-before"
	ReadAll          Action = "read.all"
	ReadHelp         Action = "read.help"

	PagerClose     Action = "pager.close"
	PagerUp        Action = "pager.up"
	PagerDown      Action = "pager.down"
	PagerPageUp    Action = "pager.page-up"
	PagerPageDown  Action = "pager.page-down"
	PagerHalfUp    Action = "pager.half-up"
	PagerHalfDown  Action = "pager.half-down"
	PagerTop       Action = "pager.top"
	PagerEnd       Action = "pager.end"
	PagerLeft      Action = "pager.left"
	PagerRight     Action = "pager.right"
	PagerWrap      Action = "pager.wrap"
	PagerFind      Action = "pager.find"
	PagerHitNext   Action = "pager.hit-next"
	PagerHitBefore Action = "pager.hit-before"
	PagerCopy      Action = "pager.copy"
	PagerCopyCode  Action = "pager.copy-code"
	PagerSave      Action = "pager.save"
	PagerEditor    Action = "pager.editor"
	PagerProgram   Action = "pager.program"
	PagerOther     Action = "pager.other"
	PagerResume    Action = "pager.resume"
	PagerTerminal  Action = "pager.terminal"
	PagerRedraw    Action = "pager.redraw"
	PagerSuspend   Action = "pager.suspend"

	LineDone  Action = "line.done"
	LineClose Action = "line.close"
	LineErase Action = "line.erase"
	LineClear Action = "line.clear"

	ListChoose   Action = "list.choose"
	ListClose    Action = "list.close"
	ListUp       Action = "list.up"
	ListDown     Action = "list.down"
	ListPageUp   Action = "list.page-up"
	ListPageDown Action = "list.page-down"
	ListRename   Action = "list.rename"
	ListDelete   Action = "list.delete"
	ListFavorite Action = "list.favorite"
	ListEarlier  Action = "list.earlier"
	ListLater    Action = "list.later"
)

func reading() Group {
	return Group{Name: "reading", Title: lang.N("Reading the transcript"), Short: true, Lines: []Binding{
		{ReadNext, keys("j", "down"), lang.N("the next thing; through a long one by half pages")},
		{ReadBefore, keys("k", "up"), lang.N("the thing before")},
		{ReadPromptBefore, keys("[", "{", "ctrl+up"), lang.N("the prompt before")},
		{ReadPromptNext, keys("]", "}", "ctrl+down"), lang.N("the next prompt")},
		{ReadTop, keys("g", "home"), lang.N("the first thing")},
		{ReadEnd, keys("G", "end"), lang.N("the last thing")},
		{ReadHalfUp, keys("ctrl+u"), lang.N("half a page up")},
		{ReadHalfDown, keys("ctrl+d"), lang.N("half a page down")},
		{ReadOpen, keys("enter", "o"), lang.N("show it whole; of a sub-agent, its work")},
		{ReadStop, keys("x"), lang.N("stop the sub-agent with the focus, or the one looked at, and no other")},
		{ReadTerminal, keys("T"), lang.N("a command that has ended: run it on your terminal, where it can ask you something")},
		{ReadFold, keys("space"), lang.N("fold it, unfold it, whatever the rest is")},
		{ReadCopy, keys("c", "y"), lang.N("copy its text, as it was written")},
		{ReadCopyCode, keys("C", "Y"), lang.N("copy the code in it; of several pieces you choose one")},
		{ReadFind, keys("/"), lang.N("find words in everything, folded output included")},
		{ReadHitNext, keys("n"), lang.N("the next place of the words")},
		{ReadHitBefore, keys("N"), lang.N("the place before")},
		{ReadAll, keys("A"), lang.N("the whole conversation as it was written: find in it, open it in your editor, save it")},
		{ReadHelp, keys("?"), lang.N("these keys")},
		{ReadLeave, keys("esc", "tab", "i", "q"), lang.N("back to the prompt, where your draft still is; out of a sub-agent's work")},
	}}
}

func paging() Group {
	return Group{Name: "paging", Title: lang.N("A thing shown whole"), Short: true, Lines: []Binding{
		{PagerUp, keys("k", "up", "ctrl+p"), lang.N("one row up")},
		{PagerDown, keys("j", "down", "ctrl+n"), lang.N("one row down")},
		{PagerPageUp, keys("pgup", "b", "ctrl+b"), lang.N("a page up")},
		{PagerPageDown, keys("pgdown", "space", "ctrl+f"), lang.N("a page down")},
		{PagerHalfUp, keys("u", "ctrl+u"), lang.N("half a page up")},
		{PagerHalfDown, keys("d", "ctrl+d"), lang.N("half a page down")},
		{PagerTop, keys("g", "home", "ctrl+home"), lang.N("the first row")},
		{PagerEnd, keys("G", "end", "ctrl+end"), lang.N("the last row")},
		{PagerFind, keys("/"), lang.N("find words")},
		{PagerHitNext, keys("n"), lang.N("the next place of the words")},
		{PagerHitBefore, keys("N"), lang.N("the place before")},
		{PagerCopy, keys("c", "y"), lang.N("copy all of it")},
		{PagerCopyCode, keys("C", "Y"), lang.N("copy the code in it; of several pieces you choose one")},
		{PagerSave, keys("s"), lang.N("save it to a file that does not exist yet")},
		{PagerWrap, keys("w"), lang.N("show the source as it was written, unwrapped, and back")},
		{PagerLeft, keys("left", "h"), lang.N("unwrapped: to the left")},
		{PagerRight, keys("right", "l"), lang.N("unwrapped: to the right")},
		{PagerEditor, keys("e", "o"), lang.N("open it in $VISUAL or $EDITOR")},
		{PagerProgram, keys("p", "|"), lang.N("open it in $PAGER")},
		{PagerOther, keys("tab"), lang.N("the other side of it, where there is one")},
		{PagerTerminal, keys("T"), lang.N("a command that has ended: run it on your terminal, where it can ask you something")},
		{PagerResume, keys("r"), lang.N("go on with the conversation shown; read a job anew")},
		{PagerRedraw, keys("ctrl+l"), lang.N("draw the screen anew")},
		{PagerSuspend, keys("ctrl+z"), lang.N("suspend")},
		{PagerClose, keys("esc", "q", "enter", "?", "ctrl+c"), lang.N("close it")},
	}}
}

func finding() Group {
	return Group{Name: "finding", Title: lang.N("Writing the words to find"), Lines: []Binding{
		{LineDone, keys("enter"), lang.N("find them")},
		{LineErase, keys("backspace", "ctrl+h"), lang.N("erase back")},
		{LineClear, keys("ctrl+u"), lang.N("begin anew")},
		{LineClose, keys("esc", "ctrl+c"), lang.N("leave it")},
	}}
}

func choosing() Group {
	return Group{Name: "choosing", Title: lang.N("In a list"), Lines: []Binding{
		{"", keys("a…z"), lang.N("filter by what is typed")},
		{ListUp, keys("up", "ctrl+p"), lang.N("the line before")},
		{ListDown, keys("down", "ctrl+n", "tab"), lang.N("the next line")},
		{ListPageUp, keys("pgup"), lang.N("ten lines up")},
		{ListPageDown, keys("pgdown"), lang.N("ten lines down")},
		{ListChoose, keys("enter"), lang.N("choose the line")},
		{ListRename, keys("ctrl+r"), lang.N("conversations: rename one")},
		{ListDelete, keys("ctrl+x"), lang.N("conversations: delete one; background and sub-agents: end one; skills: on, off")},
		{ListFavorite, keys("ctrl+f"), lang.N("models: mark one as a favorite, or no more")},
		{ListEarlier, keys("shift+up", "alt+up"), lang.N("the status line: the part one place earlier")},
		{ListLater, keys("shift+down", "alt+down"), lang.N("the status line: the part one place later")},
		{ListClose, keys("esc", "ctrl+c"), lang.N("close the list")},
	}}
}
