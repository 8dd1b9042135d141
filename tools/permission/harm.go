package permission

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"forge/tools"
)

// danger is the risk of an effect that is not a command.
func (m *Manager) danger(e tools.Effect) (Level, []Risk) {
	var risks []Risk
	outside := slices.ContainsFunc(e.Paths, func(p string) bool { return !m.inside(p) })
	switch e.Kind {
	case tools.Write:
		if outside {
			risks = append(risks, Risk{High, "writes outside the workspace"})
		}
		if m.o.Protected != nil && slices.ContainsFunc(e.Paths, m.o.Protected) {
			risks = append(risks, Risk{High, "writes a file that programs take orders from"})
		}
		for _, c := range e.Changes {
			risks = append(risks, deletes(c)...)
		}
	case tools.Read:
		if outside && !m.readable(e.Paths) {
			risks = append(risks, Risk{Medium, "reads outside the workspace"})
		}
	case tools.Network:
		risks = append(risks, Risk{Medium, "sends something over the network"})
	case tools.Unknown:
		risks = append(risks, Risk{Medium, unknownTo(e)})
	}
	level := Low
	for _, r := range risks {
		level = max(level, r.Level)
	}
	return level, risks
}

// unknownTo says why nobody here knows what a call does.
func unknownTo(e tools.Effect) string {
	switch {
	case e.Server != "" && e.Claims == tools.Read:
		return `says that it only reads, which counts once its server has "trust": true`
	case e.Server != "":
		return "only its server knows what it does"
	}
	return "does not say what it does"
}

// deletes is the risk of what a change takes away. One file is LOW: it is shown, and
// undo brings it back.
func deletes(c tools.Change) (risks []Risk) {
	if c.Op != tools.Delete {
		return nil
	}
	if c.Thing == tools.Folder {
		risks = append(risks, Risk{Medium, fmt.Sprintf("deletes the folder %s and the files in it: %d", c.Path, c.Files)})
	}
	if c.Lost > 0 {
		risks = append(risks, Risk{Medium, fmt.Sprintf("files that undo could not bring back, because of their size: %d", c.Lost)})
	}
	return risks
}

// readable reports whether all of these paths may be read as the workspace may.
func (m *Manager) readable(paths []string) bool {
	return m.o.Readable != nil && !slices.ContainsFunc(paths, func(p string) bool { return !m.inside(p) && !m.o.Readable(p) })
}

func (m *Manager) inside(path string) bool {
	return slices.ContainsFunc(m.roots(), func(root string) bool { return within(root, path) })
}

// within reports whether path is root or beneath it; both are absolute and clean.
func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
