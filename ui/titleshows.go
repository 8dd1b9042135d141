package ui

import (
	"path/filepath"
	"slices"
)

// TitleParts lists what the window's title may say behind forge's name: the setting
// "screen.title_shows".
func TitleParts() []string { return []string{"path", "folder", "branch", "title", "model", "mode"} }

func (m *Model) titleShows() []string {
	if len(m.o.TitleShows) == 0 {
		return []string{"path"}
	}
	return m.o.TitleShows
}

// titleWants reports whether the title tells of what has to be looked up.
func (m *Model) titleWants() bool {
	all := m.titleShows()
	return m.titled() && (slices.Contains(all, "branch") || slices.Contains(all, "title"))
}

func (m *Model) titlePart(name string) string {
	switch name {
	case "path":
		return m.o.Cwd
	case "folder":
		return filepath.Base(m.o.Cwd)
	case "branch":
		return m.status.place.Branch
	case "title":
		return m.status.place.Title
	case "model":
		return m.status.model.ID
	case "mode":
		return modeName(m.status.mode)
	}
	return ""
}
