package ui

import (
	"os"
	"path/filepath"
	"strings"

	"forge/lazy"
	"forge/tools"
	"forge/ui/safe"
)

// machine is what this one is called: terminals on another one do not look there for files.
var machine = lazy.Value[string]{Of: func() string {
	name, err := os.Hostname()
	if err != nil {
		return "localhost"
	}
	return name
}}

// linked makes a link of the path in a call's title, where it names the one file the call
// is about. The target is the path as forge resolved it, not a text of the model; what a
// server's tool says of itself leads nowhere.
func linked(title string, e tools.Effect, wanted bool) string {
	if !wanted || e.Server != "" || len(e.Paths) != 1 || e.Kind != tools.Read && e.Kind != tools.Write || !filepath.IsAbs(e.Paths[0]) {
		return title
	}
	at, to := pathIn(title, e.Paths[0])
	if to == at {
		return title
	}
	begin, end := safe.Linked(safe.FileTarget(machine.Get(), e.Paths[0]))
	return title[:at] + begin + title[at:to] + end + title[to:]
}

// pathIn finds the longest end of a path that stands in a title as words of its own.
func pathIn(title, path string) (from, to int) {
	path = filepath.ToSlash(path)
	for tail := path; tail != ""; {
		if i := strings.LastIndex(title, tail); i >= 0 {
			end := i + len(tail)
			if (i == 0 || title[i-1] == ' ') && (end == len(title) || title[end] == ' ') {
				return i, end
			}
		}
		_, rest, ok := strings.Cut(strings.TrimPrefix(tail, "/"), "/")
		if !ok {
			if strings.HasPrefix(tail, "/") {
				tail = tail[1:]
				continue
			}
			break
		}
		tail = rest
	}
	return 0, 0
}
