package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"forge/agent/session"
	"forge/tilde"
	"forge/ui"
	"forge/ui/composer"
	"forge/ui/lang"
)

// added are the folders beside the workspace's own, as they were opened.
func (f *forge) added() []string { return f.hands.workspace.WritableRoots()[1:] }

// foldersHere is what the screen can do with them.
func (f *forge) foldersHere() *ui.Folders {
	return &ui.Folders{List: f.added, Add: f.addFolder, Find: f.findFolders}
}

// addFolder opens a folder to tools and commands, and has the conversation keep that. It
// is called where nothing else uses the agent.
func (f *forge) addFolder(name string) (dir string, err error) {
	dir, err = f.openFolder(name)
	if err != nil {
		return "", err
	}
	f.keepFolder(dir)
	f.folders.opens(dir)
	return dir, nil
}

// keepFolder has the conversation there is keep a folder that is open in it.
func (f *forge) keepFolder(dir string) {
	if s := f.agent.Session(); s != nil {
		if err := s.Append(session.Record{Folder: dir}); err != nil {
			logged("folder not kept", err)
		}
	}
}

// openFolder opens a folder; its path is taken from the workspace's.
func (f *forge) openFolder(name string) (string, error) {
	dir := f.spelled(name)
	info, err := os.Stat(dir)
	var pe *os.PathError
	switch {
	case errors.As(err, &pe):
		return "", fmt.Errorf("%s: %w", tilde.Short(dir), pe.Err)
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", fmt.Errorf(lang.T("%s is no folder"), tilde.Short(dir))
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", err
	}
	w := f.hands.workspace
	if root, is := f.openIn(dir); is {
		return "", fmt.Errorf(lang.T("%s is open already: it lies in %s"), tilde.Short(dir), tilde.Short(root))
	}
	if err := w.Add(dir); err != nil {
		return "", err
	}
	f.hands.policy.AddRoot(dir)
	f.hands.guard.AddRoot(dir)
	if f.journal != nil {
		f.journal.AddRoot(dir)
	}
	return dir, nil
}

// openIn is the open folder that a folder, absolute and canonical, lies in.
func (f *forge) openIn(dir string) (string, bool) {
	for _, root := range f.hands.workspace.WritableRoots() {
		if rel, err := filepath.Rel(root, dir); err == nil && filepath.IsLocal(rel) {
			return root, true
		}
	}
	return "", false
}

func (f *forge) isOpen(dir string) bool {
	_, is := f.openIn(dir)
	return is
}

// spelled is a path as a person types one.
func (f *forge) spelled(name string) string {
	if home, err := os.UserHomeDir(); err == nil && (name == "~" || strings.HasPrefix(name, "~/")) {
		name = filepath.Join(home, name[1:])
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(f.hands.workspace.Root(), name)
	}
	return filepath.Clean(name)
}

// openFolders opens those that were opened in a conversation, when it is gone on with. Those
// of the one before stay open, which is said.
func (f *forge) openFolders(records []session.Record) {
	var open, still []string
	for _, dir := range f.folders.open() {
		if !slices.ContainsFunc(records, func(r session.Record) bool { return r.Folder == dir }) {
			still = append(still, tilde.Short(dir))
		}
	}
	if len(still) > 0 {
		f.tell(lang.T("still open to tools and commands: %s", strings.Join(still, ", ")))
	}
	for _, r := range records {
		if r.Folder == "" || !filepath.IsAbs(r.Folder) || f.isOpen(r.Folder) {
			continue
		}
		if _, err := f.openFolder(r.Folder); err != nil {
			f.tell(lang.T("a folder of this conversation is not open: %s", err.Error()))
			continue
		}
		f.folders.opens(r.Folder)
		open = append(open, tilde.Short(r.Folder))
	}
	if len(open) > 0 {
		f.tell(lang.T("open to tools and commands, as before: %s", strings.Join(open, ", ")))
	}
}

// findFolders completes a path with folders.
func (f *forge) findFolders(ctx context.Context, typed string) []composer.Found {
	return f.pathsFrom(ctx, typed, false)
}

// findPaths completes a path with folders and files.
func (f *forge) findPaths(ctx context.Context, typed string) []composer.Found {
	return f.pathsFrom(ctx, typed, true)
}

func (f *forge) pathsFrom(ctx context.Context, typed string, files bool) (out []composer.Found) {
	at := strings.LastIndexByte(typed, '/') + 1
	dir, begin := typed[:at], typed[at:]
	entries, err := os.ReadDir(f.spelled(dir))
	if err != nil || ctx.Err() != nil {
		return nil
	}
	const most = 50
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, begin) || strings.HasPrefix(name, ".") && !strings.HasPrefix(begin, ".") || len(out) == most {
			continue
		}
		folder := e.IsDir()
		if e.Type()&os.ModeSymlink != 0 {
			info, err := os.Stat(filepath.Join(f.spelled(dir), name))
			folder = err == nil && info.IsDir()
		}
		switch {
		case folder:
			out = append(out, composer.Found{Text: dir + name + "/", Open: true})
		case files:
			out = append(out, composer.Found{Text: dir + name})
		}
	}
	return out
}
