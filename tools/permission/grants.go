package permission

import (
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"forge/tools"
)

// offer lists what "for the session" would store for a call: the shapes of its
// commands, the directories of its files, or the one tool it is. Never a whole
// shell, never "everything".
func (m *Manager) offer(call tools.Call, e tools.Effect, a Analysis) []Grant {
	switch e.Kind {
	case tools.Exec:
		var gs []Grant
		for _, s := range a.Shapes {
			g := Grant{Text: "run " + s, key: "exec\x00" + s}
			if e.Escape != tools.Confined {
				g.Text += " " + string(e.Escape)
				g.key += "\x00" + string(e.Escape)
			}
			gs = append(gs, g)
		}
		return gs
	case tools.Write:
		return m.offerDirs(e)
	case tools.Unknown, tools.Network:
		return []Grant{{Text: "use " + call.Name, key: "tool\x00" + call.Name}}
	}
	return nil
}

func (m *Manager) offerDirs(e tools.Effect) []Grant {
	var dirs []string
	for _, p := range e.Paths {
		if !m.inside(p) {
			return nil
		}
		dirs = append(dirs, filepath.Dir(p))
	}
	sort.Strings(dirs)
	var gs []Grant
	for _, d := range slices.Compact(dirs) {
		gs = append(gs, Grant{Text: "edit files in " + m.short(d), key: "dir\x00" + d})
	}
	return gs
}

// short is a directory as a person knows it: relative to the workspace.
func (m *Manager) short(dir string) string {
	for i, root := range m.o.Roots {
		if rel, err := filepath.Rel(root, dir); err == nil && within(root, dir) && i == 0 {
			if rel == "." {
				return "the workspace root"
			}
			return filepath.ToSlash(rel) + "/"
		}
	}
	return dir + string(filepath.Separator)
}

func (m *Manager) keep(gs []Grant) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, g := range gs {
		m.grants[g.key] = true
	}
}

// covered reports whether every grant a call would need was given. A call that
// nothing could be granted for is never covered.
func (m *Manager) covered(gs []Grant) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(gs) > 0 && !slices.ContainsFunc(gs, func(g Grant) bool { return !m.grants[g.key] && !m.grants[wider(g.key)] })
}

// wider is the grant for the whole workspace beside one for a folder of it.
func wider(key string) string {
	if i := strings.LastIndex(key, scopeMark); i >= 0 && strings.HasPrefix(key, "exec\x00") && strings.HasSuffix(key, "/") {
		return key[:i] + scopeMark + "the workspace"
	}
	return key
}

// Forget drops what was granted: another conversation begins.
func (m *Manager) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.grants)
}

// Granted lists the session's grants as they were shown, sorted.
func (m *Manager) Granted() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for key := range m.grants {
		kind, what, _ := strings.Cut(key, "\x00")
		switch kind {
		case "exec":
			out = append(out, "run "+what)
		case "secret":
			out = append(out, "give commands the "+what)
		case "dir":
			out = append(out, "edit files in "+m.short(what))
		default:
			out = append(out, "use "+what)
		}
	}
	sort.Strings(out)
	return out
}
