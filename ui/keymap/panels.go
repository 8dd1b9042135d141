package keymap

import "forge/ui/lang"

// What keys do in the panels of /context and /mcp.
const (
	WindowUp       Action = "window.up"
	WindowDown     Action = "window.down"
	WindowPageUp   Action = "window.page-up"
	WindowPageDown Action = "window.page-down"
	WindowTop      Action = "window.top"
	WindowEnd      Action = "window.end"
	WindowFold     Action = "window.fold"
	WindowOpen     Action = "window.open"
	WindowDrop     Action = "window.drop"
	WindowCollapse Action = "window.collapse"
	WindowRestore  Action = "window.restore"
	WindowPin      Action = "window.pin"
	WindowUndo     Action = "window.undo"
	WindowSort     Action = "window.sort"
	WindowRedraw   Action = "window.redraw"
	WindowSuspend  Action = "window.suspend"
	WindowClose    Action = "window.close"

	ServersUp      Action = "servers.up"
	ServersDown    Action = "servers.down"
	ServersTop     Action = "servers.top"
	ServersEnd     Action = "servers.end"
	ServersOpen    Action = "servers.open"
	ServersSwitch  Action = "servers.switch"
	ServersRetry   Action = "servers.retry"
	ServersDisable Action = "servers.disable"
	ServersApprove Action = "servers.approve"
	ServersLogin   Action = "servers.login"
	ServersLog     Action = "servers.log"
	ServersRedraw  Action = "servers.redraw"
	ServersSuspend Action = "servers.suspend"
	ServersClose   Action = "servers.close"

	ServerUp         Action = "server.up"
	ServerDown       Action = "server.down"
	ServerPageUp     Action = "server.page-up"
	ServerPageDown   Action = "server.page-down"
	ServerTop        Action = "server.top"
	ServerEnd        Action = "server.end"
	ServerPageBefore Action = "server.tab-before"
	ServerNextPage   Action = "server.tab-next"
	ServerSwitch     Action = "server.switch"
	ServerRetry      Action = "server.retry"
	ServerDisable    Action = "server.disable"
	ServerApprove    Action = "server.approve"
	ServerLogin      Action = "server.login"
	ServerLog        Action = "server.log"
	ServerRedraw     Action = "server.redraw"
	ServerSuspend    Action = "server.suspend"
	ServerBack       Action = "server.back"
	ServerClose      Action = "server.close"

	LoginOpen    Action = "login.open"
	LoginCopy    Action = "login.copy"
	LoginRedraw  Action = "login.redraw"
	LoginSuspend Action = "login.suspend"
	LoginStop    Action = "login.stop"
)

func window() Group {
	return Group{Name: "window", Title: lang.N("In /context"), Lines: []Binding{
		{WindowUp, keys("up", "k", "ctrl+p"), lang.N("the item before")},
		{WindowDown, keys("down", "j", "ctrl+n"), lang.N("the next item")},
		{WindowPageUp, keys("pgup", "b"), lang.N("a page up")},
		{WindowPageDown, keys("pgdown", "f"), lang.N("a page down")},
		{WindowTop, keys("home", "g"), lang.N("the first item")},
		{WindowEnd, keys("end", "G"), lang.N("the last item")},
		{WindowOpen, keys("enter", "o"), lang.N("an item: show it whole; a group: fold it, unfold it")},
		{WindowFold, keys("space", "left", "right"), lang.N("fold a group, unfold it")},
		{WindowDrop, keys("d"), lang.N("drop an item from what the model sees")},
		{WindowCollapse, keys("c"), lang.N("collapse a result to its first lines")},
		{WindowRestore, keys("r"), lang.N("restore it")},
		{WindowPin, keys("p"), lang.N("pin it through compactions, unpin it")},
		{WindowUndo, keys("u"), lang.N("undo what was done last here")},
		{WindowSort, keys("s"), lang.N("sort by size, and back")},
		{WindowRedraw, keys("ctrl+l"), lang.N("draw the screen anew")},
		{WindowSuspend, keys("ctrl+z"), lang.N("suspend")},
		{WindowClose, keys("esc", "q", "ctrl+c"), lang.N("close it")},
	}}
}

func servers() Group {
	return Group{Name: "servers", Title: lang.N("In /mcp: the servers"), Lines: []Binding{
		{ServersUp, keys("up", "k", "ctrl+p"), lang.N("the server before")},
		{ServersDown, keys("down", "j", "ctrl+n", "tab"), lang.N("the next server")},
		{ServersTop, keys("home", "g", "pgup"), lang.N("the first server")},
		{ServersEnd, keys("end", "G", "pgdown"), lang.N("the last server")},
		{ServersOpen, keys("enter", "right"), lang.N("look closer")},
		{ServersSwitch, keys("space"), lang.N("stop it or start it")},
		{ServersRetry, keys("r"), lang.N("start it anew")},
		{ServersDisable, keys("d"), lang.N("stop it; start one that is stopped")},
		{ServersApprove, keys("a"), lang.N("approve what waits")},
		{ServersLogin, keys("l"), lang.N("log in")},
		{ServersLog, keys("o"), lang.N("show its log")},
		{ServersRedraw, keys("ctrl+l"), lang.N("draw the screen anew")},
		{ServersSuspend, keys("ctrl+z"), lang.N("suspend")},
		{ServersClose, keys("esc", "q", "ctrl+c"), lang.N("close it")},
	}}
}

func server() Group {
	return Group{Name: "server", Title: lang.N("In /mcp: one server"), Lines: []Binding{
		{ServerUp, keys("up", "k", "ctrl+p"), lang.N("one row up")},
		{ServerDown, keys("down", "j", "ctrl+n"), lang.N("one row down")},
		{ServerPageUp, keys("pgup", "b"), lang.N("a page up")},
		{ServerPageDown, keys("pgdown", "f"), lang.N("a page down")},
		{ServerTop, keys("home", "g"), lang.N("the first row")},
		{ServerEnd, keys("end", "G"), lang.N("the last row")},
		{ServerPageBefore, keys("shift+tab", "left"), lang.N("its page before")},
		{ServerNextPage, keys("tab", "right"), lang.N("its next page")},
		{ServerSwitch, keys("space", "enter"), lang.N("switch the tool; elsewhere a page down")},
		{ServerRetry, keys("r"), lang.N("start it anew")},
		{ServerDisable, keys("d"), lang.N("stop it; start one that is stopped")},
		{ServerApprove, keys("a"), lang.N("approve what waits")},
		{ServerLogin, keys("l"), lang.N("log in")},
		{ServerLog, keys("o"), lang.N("show its log")},
		{ServerRedraw, keys("ctrl+l"), lang.N("draw the screen anew")},
		{ServerSuspend, keys("ctrl+z"), lang.N("suspend")},
		{ServerBack, keys("esc", "q", "backspace"), lang.N("back to all servers")},
		{ServerClose, keys("ctrl+c"), lang.N("close it")},
		{LoginOpen, keys("o"), lang.N("logging in: open the page in the browser")},
		{LoginCopy, keys("c"), lang.N("logging in: copy its address")},
		{LoginRedraw, keys("ctrl+l"), lang.N("logging in: draw the screen anew")},
		{LoginSuspend, keys("ctrl+z"), lang.N("logging in: suspend")},
		{LoginStop, keys("esc", "q", "ctrl+c"), lang.N("logging in: stop it")},
	}}
}
