package permission

import (
	"path"
	"slices"
	"strings"
)

func (c *command) finds() {
	s := c.s
	roots, narrow := []word{}, false
	started := false
	for i, a := range c.args {
		t := a.text
		if !started && (strings.HasPrefix(t, "-") || t == "(" || t == "!") && t != "-L" && t != "-P" && t != "-H" {
			started = true
		}
		if !started && !strings.HasPrefix(t, "-") && strings.HasPrefix(c.name, "find") {
			roots = append(roots, a)
		}
		switch t {
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-newer", "-size", "-mtime", "-mmin", "-empty", "-user", "-perm", "-inum", "-samefile", "-atime", "-ctime", "-cmin", "-amin", "-newermt":
			if i+1 < len(c.args) && strings.Trim(c.args[i+1].text, "*./?") != "" {
				narrow = true
			}
		case "-exec", "-execdir", "-ok", "-okdir":
			s.ungrantable = true
			end := i + 1
			for end < len(c.args) && c.args[end].text != ";" && c.args[end].text != "+" {
				end++
			}
			inner := append([]word{}, c.args[i+1:end]...)
			level := High
			if t == "-exec" && c.onlyReads(inner) {
				level = Medium
			}
			s.risk(level, "runs a command for what it finds")
			if len(inner) > 0 && destroyer(path.Base(inner[0].text)) && !narrow && c.wide(roots) {
				s.risk(Critical, "deletes a whole tree")
			}
			for j := range inner {
				if strings.Contains(inner[j].text, "{}") { // each file found
					inner[j].path = "*"
					if narrow {
						inner[j].path = "found*"
					}
					inner[j].lit, inner[j].glob = false, true
					if len(roots) > 0 {
						inner[j].path = strings.TrimRight(roots[0].path, "/") + "/" + inner[j].path
					}
				}
			}
			s.run(inner, feed{}, false)
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			s.risk(Medium, "writes a file")
			if i+1 < len(c.args) {
				s.writes(c.args[i+1])
			}
		}
	}
	if c.name == "fd" || c.name == "fdfind" {
		if c.has("-x", "-X", "--exec", "--exec-batch", "-l", "--list-details") {
			s.ungrantable = true
			s.risk(High, "runs a command for what it finds")
			c.everywhere()
		}
	}
	if len(roots) == 0 {
		roots = []word{literal(".")}
	}
	deletes := false
	for _, a := range c.args {
		deletes = deletes || a.text == "-delete"
	}
	for _, w := range roots {
		if !deletes {
			s.reads(w)
			continue
		}
		s.risk(High, "deletes what it finds")
		if !narrow && c.wide([]word{w}) || c.beyond(w) {
			s.risk(Critical, "deletes a whole tree")
		}
	}
	if s.a.Level == Low {
		s.risk(Medium, "has an expression forge does not vouch for")
	}
}

// onlyReads reports whether a command that gets a name of the workspace would run
// unasked.
func (c *command) onlyReads(inner []word) bool {
	named := slices.Clone(inner)
	for i, w := range named {
		if w.text == "{}" {
			named[i] = literal("./x")
		}
	}
	s := newScan(c.s.w)
	s.cwds = c.s.cwds
	return len(named) > 0 && s.vouched(named) && s.ro
}

// wide reports whether one of the words names the workspace or the repository.
func (c *command) wide(roots []word) bool {
	if len(roots) == 0 {
		roots = []word{literal(".")}
	}
	return slices.ContainsFunc(roots, func(w word) bool {
		return slices.ContainsFunc(c.s.places(w.path, true), func(at string) bool {
			return slices.ContainsFunc(c.s.w.real, func(r string) bool { return within(at, r) || within(r+"/.git", at) })
		})
	})
}

// beyond reports whether a word names something outside the workspace that is not
// temporary.
func (c *command) beyond(w word) bool {
	return slices.ContainsFunc(c.s.places(w.path, true), func(at string) bool { return !c.s.inside(at) && !strings.HasPrefix(at, "/tmp/") })
}
