package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"forge/agent"
	"forge/agent/config"
	"forge/agent/session"
	"forge/provider"
	"forge/tools/builtin"
	"forge/tools/sandbox"
	"forge/ui"
	"forge/ui/cli"
	"forge/ui/lang"
	"forge/ui/safe"
)

// forgets reports whether the conversation leaves no record: it was asked for, or
// the folder it is about, the demo's scratch copy, is gone afterwards.
func (f *forge) forgets() bool {
	return f.flags.NoKeep || f.flags.Demo && f.flags.Dir == "" && f.flags.ResumeID == ""
}

// openSession begins a record of the conversation, or goes on with one.
func (f *forge) openSession() error {
	if f.forgets() {
		return nil
	}
	root := f.hands.workspace.Root()
	var info session.Info
	var err error
	switch {
	case f.flags.Continue:
		info, err = session.Latest(f.dirs.Sessions(), root)
		if errors.Is(err, os.ErrNotExist) {
			f.notices = append(f.notices, lang.T("there is no conversation in this folder yet: this is the first"))
			return f.newSession()
		}
	case f.flags.ResumeID != "":
		info, err = session.Find(f.dirs.Sessions(), f.flags.ResumeID)
		if errors.Is(err, os.ErrNotExist) && !f.flags.Headless && !cli.NamesSession(f.flags.ResumeID) {
			f.sought = f.flags.ResumeID // the screen chooses among those these words fit
			return f.newSession()
		}
		if errors.Is(err, os.ErrNotExist) && !cli.NamesSession(f.flags.ResumeID) {
			info, err = f.titled(f.flags.ResumeID)
		}
		if errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf(lang.T("no conversation is named %q: forge -r shows them all"), f.flags.ResumeID)
		}
	default:
		return f.newSession()
	}
	if err != nil {
		return err
	}
	if !f.flags.Headless { // a long one is not to keep the screen waiting
		f.stored = info.Path
		return nil
	}
	return f.resume(info.Path)
}

// titled is the conversation whose title alone has these words, of this folder before
// those of others. os.ErrNotExist: none has them.
func (f *forge) titled(words string) (session.Info, error) {
	all, err := session.List(f.dirs.Sessions())
	if err != nil {
		return session.Info{}, err
	}
	root := f.hands.workspace.Root()
	var here, elsewhere []session.Info
	for _, s := range all {
		switch {
		case !ui.TitleHas(s.Title, words):
		case s.Cwd == root:
			here = append(here, s)
		default:
			elsewhere = append(elsewhere, s)
		}
	}
	fit := here
	if len(fit) == 0 {
		fit = elsewhere
	}
	switch len(fit) {
	case 0:
		return session.Info{}, os.ErrNotExist
	case 1:
		return fit[0], nil
	}
	var names []string
	for i, s := range fit {
		if i == 5 {
			names = append(names, lang.T("…"))
			break
		}
		names = append(names, s.ID[strings.LastIndexByte(s.ID, '-')+1:]+" ("+safe.Line(s.Title)+")")
	}
	return session.Info{}, cli.Usage{Err: fmt.Errorf(lang.T("several conversations are about %q, name one with -r: %s"), words, strings.Join(names, lang.T(", ")))}
}

// prune deletes conversations that are older than the person wants to keep them.
func (f *forge) prune() {
	if days := f.cfg.KeepSessions; days > 0 {
		session.Prune(f.dirs.Sessions(), time.Now().AddDate(0, 0, -days), f.stored)
	}
	if f.flags.Headless { // on a screen, once it is there
		f.prunePictures()
		f.sweepBeside()
	}
}

// sweepBeside is sweepScratch beside whatever is done meanwhile. The way out waits for
// the folder it is at.
func (f *forge) sweepBeside() {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	f.close = append(f.close, func() { stop(); <-done })
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				slog.Error("sweep crashed", "panic", p, "stack", string(debug.Stack()))
			}
		}()
		f.sweepScratch(ctx)
	}()
}

// sweepScratch removes the temporary folders that killed forges left.
func (f *forge) sweepScratch(ctx context.Context) {
	if n := sandbox.SweepScratch(ctx, os.TempDir(), f.dirs.Cache); n > 0 {
		slog.Info("swept what killed forges left", "folders", n)
	}
}

// closeSession writes what is not on disk yet.
func (f *forge) closeSession() {
	if s := f.agent.Session(); s != nil {
		logged("session not closed", s.Close())
	}
}

// unsaved says that a conversation which was to be kept is not wholly on disk: what
// runs forge as a program learns it from the exit code.
func (f *forge) unsaved() error {
	err := f.unkept
	if s := f.agent.Session(); s != nil {
		err = s.Save()
	}
	if err != nil {
		return fmt.Errorf(lang.T("the conversation is not wholly on disk: %w; give --no-session where no record is wanted"), err)
	}
	return nil
}

// newSession begins an empty conversation. One that cannot be kept is told about
// and goes on in memory.
func (f *forge) newSession() error {
	was := f.agent.Session()
	var s *session.Session
	if !f.forgets() {
		root := f.hands.workspace.Root()
		var err error
		if s, err = session.Create(f.dirs.Sessions(), root, agent.GitBranch(root)); err != nil {
			f.tell(lang.T("this conversation is not kept: %s", err.Error()))
			f.unkept, s = err, nil
		}
	}
	f.leave()
	f.ownSystem()
	f.agent.SetSession(s, nil)
	f.took(nil)
	f.journalled(false)
	f.converse("clear", was)
	return nil
}

// leave ends the conversation there is, so that it can be opened elsewhere, and
// forgets what belonged to it.
func (f *forge) leave() {
	f.closeSession()
	f.hands.env.Todos.Set(nil)
	f.hands.guard.Forget()
}

// resume goes on with a stored conversation; with a copy of it where the file is
// not to be written to, and in memory where no copy can be made either.
func (f *forge) resume(path string) error {
	was := f.agent.Session()
	if was != nil && was.Path() == path {
		return nil
	}
	s, records, err := session.Open(path)
	if err != nil {
		return err
	}
	if !f.keeps(path) {
		records = session.Strangers(records)
	}
	if n := s.Broken(); n > 0 {
		f.tell(lang.T("a part of this conversation cannot be read and is left out (lines that are damaged or too long: %d); its file keeps them", n))
	}
	if why := s.ReadOnly(); why != "" {
		logged("session not closed", s.Close())
		if session.IsElsewhere(why) { // what is under way, and what waits, is that forge's
			records = append(records, session.Theirs(records)...)
		}
		root := f.hands.workspace.Root()
		if s, err = session.Fork(f.dirs.Sessions(), root, agent.GitBranch(root), records); err != nil {
			f.tell(lang.T("this conversation is not kept: %s", err.Error()))
			f.unkept, s = err, nil
		} else {
			f.tell(lang.T("going on in a copy of that conversation: %s", why))
		}
	}
	f.sweep(records)
	f.ownSystem()
	f.takeUp(s, records)
	f.journalled(false)
	f.converse("resume", was)
	return nil
}

// keeps reports whether a file is one of the conversations forge keeps. Any other may have
// been written by anybody.
func (f *forge) keeps(path string) bool {
	real := func(name string) string {
		if abs, err := filepath.Abs(name); err == nil {
			name = abs
		}
		if is, err := filepath.EvalSymlinks(name); err == nil {
			name = is
		}
		return name
	}
	rel, err := filepath.Rel(real(f.dirs.Sessions()), real(path))
	return err == nil && filepath.IsLocal(rel)
}

// sweep removes what a forge that was killed left beside the files its last calls
// wrote.
func (f *forge) sweep(records []session.Record) {
	for _, u := range session.OpenCalls(records) {
		for _, key := range []string{"path", "to"} {
			if name := gjson.Get(u.Input, key).Str; name != "" && f.hands.workspace.Sweep(name) > 0 {
				slog.Info("swept what a killed forge left", "beside", name)
			}
		}
	}
}

// takeUp makes a stored conversation the one there is, its todo list included.
func (f *forge) takeUp(s *session.Session, records []session.Record) {
	f.leave()
	f.agent.Resume(s, records)
	f.took(records)
	if list, ok := lastTodos(records); ok {
		f.hands.env.Todos.Set(list)
	}
}

// took tells all that is kept of a conversation of the one the agent has now.
func (f *forge) took(records []session.Record) {
	f.logConversation()
	f.plan.took(records)
	f.skills.took(records)
	f.goal.took(records)
	f.tookLoops(records)
	f.reloaded.again()
	began := ""
	if s := f.agent.Session(); s != nil {
		began = s.Header().Cwd
	}
	f.moves.took(began, f.hands.workspace.Root(), records)
	if f.journal != nil {
		f.journal.Past(f.moves.before()...)
	}
	f.folders.took(records)
	f.openFolders(records)
}

// lastTodos is the list as the model last wrote it.
func lastTodos(records []session.Record) ([]builtin.Todo, bool) {
	failed := map[string]bool{} // or not known to have worked
	for _, r := range records {
		if r.Message == nil {
			continue
		}
		for _, b := range r.Message.Blocks {
			if b, ok := b.(provider.ToolResult); ok && b.IsError {
				failed[b.ID] = true
			}
		}
	}
	for i := len(records) - 1; i >= 0; i-- {
		if records[i].Message == nil {
			continue
		}
		for _, u := range slices.Backward(records[i].Message.ToolUses()) {
			if u.Name != builtin.TodoName || failed[u.ID] {
				continue
			}
			if list, err := builtin.ParseTodos(u.Input); err == nil {
				return list, true
			}
		}
	}
	return nil, false
}

// fork goes on in a new conversation that begins with these records; the one
// there was stays as it is, and can be gone on with.
func (f *forge) fork(records []session.Record) error {
	was := f.agent.Session()
	records = slices.Concat(records, f.goal.record(records), f.loopsIn(), f.folders.record(records), f.moves.record(f.at(), records)) // what the history has nothing of
	var s *session.Session
	if !f.forgets() {
		root := f.hands.workspace.Root()
		var err error
		if s, err = session.Fork(f.dirs.Sessions(), root, agent.GitBranch(root), records); err != nil {
			return err
		}
	}
	f.takeUp(s, records)
	f.journalled(true)
	f.converse("resume", was)
	return nil
}

// offer finds the last conversation of this folder, if it was cut off and no other
// forge has it open.
func (f *forge) offer() (ui.SessionChoice, bool) {
	if f.forgets() {
		return ui.SessionChoice{}, false
	}
	info, err := session.Latest(f.dirs.Sessions(), f.hands.workspace.Root())
	if err != nil || session.InUse(info.Path) {
		return ui.SessionChoice{}, false
	}
	if s := f.agent.Session(); s != nil && s.Path() == info.Path {
		return ui.SessionChoice{}, false
	}
	rs, err := session.Tail(info.Path, tailBytes)
	if err != nil || !session.Unfinished(rs).Anything() {
		return ui.SessionChoice{}, false
	}
	return ui.SessionChoice{ID: info.ID, Title: info.Title, When: info.Updated}, true
}

// places is where conversations lie, their index, and the folder a command is about.
func places(flags cli.Flags) (sessions, index, here string, err error) {
	dirs, err := config.Paths()
	if err != nil {
		return "", "", "", err
	}
	here, err = filepath.Abs(flags.Dir)
	if err == nil {
		var real string
		if real, err = filepath.EvalSymlinks(here); err == nil {
			here = real
		}
	}
	return dirs.Sessions(), filepath.Join(dirs.Cache, "search"), here, err
}
