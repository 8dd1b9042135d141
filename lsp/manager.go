package lsp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"forge/tools"
	"forge/tools/child"
)

// A Manager holds the language servers of a session. It starts one when the first file
// of its kind is changed. Its methods may be called from any goroutine.
type Manager struct {
	o    Options
	life context.Context
	end  context.CancelFunc

	mu        sync.Mutex
	instances []*instance
	closed    bool
	telling   sync.WaitGroup // somebody of a state
	work      sync.WaitGroup // with servers

	asking   sync.Mutex      // one question at a time
	answered map[string]bool // by folder: each is asked about once
	kept     map[string]bool // yes is kept by Approvals, which may lose it again
}

// New makes a Manager. Nothing is started or looked up yet.
func New(o Options) *Manager {
	m := &Manager{o: o, answered: map[string]bool{}, kept: map[string]bool{}}
	m.life, m.end = context.WithCancel(context.Background())
	return m
}

// Check implements tools.Checker.
func (m *Manager) Check(ctx context.Context, changes []tools.Change, looks func(who string)) (string, []tools.Found) {
	edits := map[*instance][]edit{}
	var order []*instance
	for _, c := range changes {
		e, ok := m.editOf(c)
		if !ok {
			continue
		}
		for _, i := range m.serving(e.path) {
			if edits[i] == nil {
				order = append(order, i)
			}
			edits[i] = append(edits[i], e)
		}
	}
	if len(order) == 0 {
		return "", nil
	}
	defer tellSlow(order, looks)()
	all := make([]tools.Found, len(order))
	var wg sync.WaitGroup
	for n, i := range order {
		wg.Go(func() {
			defer recovered("ask a language server")
			all[n] = i.check(ctx, edits[i])
			all[n].By = i.server.Name
		})
	}
	wg.Wait()
	var texts []string
	var found []tools.Found
	for _, f := range all {
		if text := words(f); text != "" {
			texts = append(texts, text)
		}
		if silent(f) {
			continue
		}
		found = append(found, f)
	}
	return strings.Join(texts, "\n"), found
}

// tellSlow tells who is waited for, where that takes a while; what it returns ends that.
func tellSlow(of []*instance, looks func(who string)) (done func()) {
	var names []string
	for _, i := range of {
		names = append(names, i.server.Name)
	}
	var mu sync.Mutex
	over := false
	slow := time.AfterFunc(slowLook, func() {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			looks(strings.Join(names, ", "))
		}
	})
	return func() {
		slow.Stop()
		mu.Lock()
		defer mu.Unlock()
		over = true
	}
}

// silent says whether there is nothing to be told.
func silent(f tools.Found) bool {
	return f.New == 0 && f.Old == 0 && f.Gone == 0 && f.Elsewhere == 0 && f.Note == ""
}

// editOf is a change as servers are shown it. What is deleted or moved they hear of as
// of any change on disk.
func (m *Manager) editOf(c tools.Change) (edit, bool) {
	if c.Thing != tools.Text || c.Op != tools.Create && c.Op != tools.Modify {
		m.Changed()
		return edit{}, false
	}
	path, err := m.o.Resolve(c.Path)
	if err != nil {
		return edit{}, false
	}
	if m.withheld(path) {
		m.Changed()
		return edit{}, false
	}
	e := edit{path: path, fresh: c.Op == tools.Create}
	if c.Op == tools.Modify && len(c.Before) <= maxText {
		e.before, e.known = shown(c.Before)
	}
	return e, true
}

// withheld says whether what a server says of a file is not for the model.
func (m *Manager) withheld(path string) bool { return m.o.Withheld != nil && m.o.Withheld(path) }

// Changed says that files may have changed in another way than by a call that Check was
// told of. Servers that run are told, in the background.
func (m *Manager) Changed() {
	for _, i := range m.list() {
		i.mu.Lock()
		if i.behind = true; i.session != nil {
			i.begin()
		}
		i.mu.Unlock()
	}
}

// serving are the servers a file is shown to, in their folders; those that are to be
// found by themselves only where they are installed.
func (m *Manager) serving(path string) (out []*instance) {
	groups := map[string]bool{}
	for _, s := range m.o.Servers {
		if !s.handles(path) || groups[s.instead] && s.instead != "" {
			continue
		}
		root, ok := m.rootOf(s, path)
		if !ok {
			continue
		}
		i := m.instance(s, root)
		if i == nil {
			continue
		}
		if s.instead != "" {
			if i.useless() {
				continue
			}
			groups[s.instead] = true
		}
		out = append(out, i)
	}
	return out
}

// rootOf is the folder a server is started in for a file: the outermost with one of its
// marks, else the workspace; ok is false where it is not to be started at all.
func (m *Manager) rootOf(s Server, path string) (root string, ok bool) {
	base := m.o.Root
	if !m.within(path) {
		base = filepath.Dir(path) // of another folder that was added
	}
	var way []string
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		way = append(way, dir)
		if dir == base || dir == filepath.Dir(dir) {
			break
		}
	}
	for _, dir := range slices.Backward(way) {
		if marked(dir, s.Roots) {
			return dir, true
		}
	}
	if s.Needs {
		return "", false
	}
	home, err := os.UserHomeDir()
	if err == nil && base == filepath.Clean(home) || base == filepath.Dir(base) { // it would read everything
		return "", false
	}
	return base, true
}

// within says whether a path is in the workspace.
func (m *Manager) within(path string) bool {
	rel, err := filepath.Rel(m.o.Root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func marked(dir string, marks []string) bool {
	for _, mark := range marks {
		if strings.ContainsAny(mark, "*?[") {
			if hits, err := filepath.Glob(filepath.Join(globbed(dir), mark)); err == nil && len(hits) > 0 {
				return true
			}
		} else if _, err := os.Stat(filepath.Join(dir, mark)); err == nil {
			return true
		}
	}
	return false
}

// globbed is a folder as a pattern that means it alone.
func globbed(dir string) string {
	if runtime.GOOS == "windows" {
		return dir
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}

// instance is the server in a folder; nil: it is not installed.
func (m *Manager) instance(s Server, root string) *instance {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	for _, i := range m.instances {
		if i.server.Name == s.Name && i.root == root {
			return i
		}
	}
	if s.found && s.missing(root) {
		return nil
	}
	i := &instance{m: m, server: s, root: root, state: Idle, edits: map[string]edit{}, more: make(chan struct{})}
	i.forget()
	m.instances = append(m.instances, i)
	return i
}

func (m *Manager) list() []*instance {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.instances)
}

// makeRoom ends the server that was not used for longest, where there are too many.
func (m *Manager) makeRoom(but *instance) {
	running := 0
	var oldest *instance
	for _, i := range m.list() {
		i.mu.Lock()
		if i.session != nil && i != but {
			running++
			if !i.working && (oldest == nil || i.used.Before(oldest.used)) {
				oldest = i
			}
		}
		i.mu.Unlock()
	}
	if running >= mostProcesses && oldest != nil {
		oldest.stop(Idle, "ended to make room for another one")
	}
}

// allowed asks whether what the folder of a server holds may run, once; before says that
// it does. All of the workspace is one folder, others are each their own.
func (m *Manager) allowed(s Server, root string, before func()) error {
	folder := root
	if m.within(root) {
		folder = m.o.Root
	}
	if m.o.Consent && folder == m.o.Root || m.o.Approvals != nil && m.o.Approvals.Approved(folder, trustItem, trustHash) {
		return nil
	}
	if m.o.Ask == nil {
		return &refusal{why: "this folder is not trusted with language servers"}
	}
	m.asking.Lock()
	defer m.asking.Unlock()
	yes, answered := m.answered[folder]
	if yes && m.kept[folder] { // it was, and was taken back
		answered = false
	}
	if !answered {
		before()
		var err error
		yes, err = m.o.Ask(m.life, s, folder)
		if err != nil {
			return &refusal{why: "nobody said yes to it", open: true}
		}
		m.answered[folder] = yes
		if yes && m.o.Approvals != nil {
			err := m.o.Approvals.Approve(folder, trustItem, trustHash)
			if err != nil {
				slog.Warn("that language servers may start here is not kept", "error", err)
			}
			m.kept[folder] = err == nil
		}
	}
	if !yes {
		return &refusal{why: "you said no to it"}
	}
	return nil
}

// Stop ends a server; it is not started again until Start says so. It fails where there
// is none of that name.
func (m *Manager) Stop(name string) error {
	return m.each(name, func(i *instance) { i.stop(Stopped, "by you") })
}

// Start lets a server that was stopped, failed or refused start again, with the next
// edit; one that runs is ended before.
func (m *Manager) Start(name string) error {
	m.asking.Lock()
	maps.DeleteFunc(m.answered, func(_ string, yes bool) bool { return !yes })
	m.asking.Unlock()
	return m.each(name, func(i *instance) {
		i.stop(Idle, "")
		i.mu.Lock()
		i.deaths = 0
		i.mu.Unlock()
	})
}

func (m *Manager) each(name string, do func(*instance)) error {
	found := false
	var wg sync.WaitGroup
	for _, i := range m.list() {
		if i.server.Name == name {
			found = true
			wg.Go(func() { do(i) })
		}
	}
	wg.Wait()
	if found {
		return nil
	}
	if slices.ContainsFunc(m.o.Servers, func(s Server) bool { return s.Name == name }) {
		return errors.New("it has not been started yet; it starts when a file of its kind is changed")
	}
	return fmt.Errorf("no language server is named %q", name)
}

// News is what servers have found since somebody last heard of it, for the model.
func (m *Manager) News() (out []string) {
	for _, i := range m.list() {
		f := i.news()
		f.By = i.server.Name
		if f.New+f.Elsewhere > 0 {
			out = append(out, words(f))
		}
	}
	return out
}

// Close ends all servers, with all they started.
func (m *Manager) Close() {
	m.mu.Lock()
	m.closed = true
	all := slices.Clone(m.instances)
	m.mu.Unlock()
	m.end()
	var wg sync.WaitGroup
	for _, i := range all {
		wg.Go(func() { i.stop(Stopped, "") })
	}
	wg.Wait()
	over := func(wg *sync.WaitGroup, limit time.Duration) {
		c := make(chan struct{})
		go func() {
			wg.Wait()
			close(c)
		}()
		child.WaitFor(c, limit)
	}
	over(&m.work, endLimit) // a server may be just being started
	over(&m.telling, tellLimit)
}
