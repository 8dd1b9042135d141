package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/agent/export"
	"forge/agent/search"
	"forge/agent/session"
	"forge/provider"
	"forge/tilde"
	"forge/tools"
	"forge/tools/journal"
	"forge/ui"
	"forge/ui/cli"
	"forge/ui/lang"
)

// library is what the screen can do with conversations that are kept.
func (f *forge) library() ui.Sessions {
	s := ui.Sessions{Export: f.export, Search: f.search, Read: f.read, Preview: f.preview, Delete: f.deleteByID, Fork: f.copyAll}
	if !f.forgets() {
		s.Rename = f.rename
	}
	return s
}

func (f *forge) index() search.Index {
	return search.Index{Sessions: f.dirs.Sessions(), Dir: filepath.Join(f.dirs.Cache, "search")}
}

// rename names a stored conversation, or the one there is.
func (f *forge) rename(id, title string) error {
	title = strings.Join(strings.Fields(title), " ")
	if s := f.agent.Session(); s != nil && (id == "" || id == s.ID()) {
		return s.Append(session.Record{Title: title})
	}
	info, err := session.Find(f.dirs.Sessions(), id)
	if err != nil {
		return err
	}
	return session.Rename(info.Path, title)
}

func (f *forge) deleteByID(id string) error {
	if s := f.agent.Session(); s != nil && s.ID() == id {
		return errors.New("it is the conversation you are in: /new leaves it")
	}
	info, err := session.Find(f.dirs.Sessions(), id)
	if err != nil {
		return err
	}
	if err := session.Remove(info.Path); err != nil {
		return err // what undo needs of it stays as well: another forge may have it open
	}
	return errors.Join(journal.Forget(f.undoDir(), info.ID), f.index().Forget(info.ID))
}

// copyAll goes on in a copy of the whole conversation.
func (f *forge) copyAll() error {
	rs, err := f.agent.Records()
	if err != nil {
		return err
	}
	if !spoken(rs) {
		return errNothingSaid
	}
	return f.fork(rs)
}

var errNothingSaid = errors.New("nothing was said yet")

// spoken reports whether a conversation holds more than its name and its settings.
func spoken(rs []session.Record) bool {
	return slices.ContainsFunc(rs, func(r session.Record) bool { return r.Message != nil })
}

// talk is the conversation there is, as it is written to files.
func (f *forge) talk() (export.Talk, error) {
	root := f.hands.workspace.Root()
	rs, err := f.agent.Records()
	if err != nil {
		return export.Talk{}, err
	}
	_, m := f.answering()
	talk := export.Talk{Records: rs, Info: session.Info{Cwd: root, Model: session.Model{Provider: m.Provider, ID: m.ID}}}
	talk.Header = session.Header{Version: session.Version, Cwd: root, Created: time.Now().UTC()}
	if s := f.agent.Session(); s != nil {
		talk.Header = s.Header()
		if info, err := session.Find("", s.Path()); err == nil {
			talk.Info, talk.Path = info, s.Path()
		}
	}
	if !spoken(talk.Records) {
		return export.Talk{}, errNothingSaid
	}
	return talk, nil
}

// export writes the conversation there is into the workspace.
func (f *forge) export(format, file string) (string, error) {
	as := export.Markdown
	var err error
	switch {
	case format != "":
		as, err = export.ParseFormat(format)
	case filepath.Ext(file) != "":
		as, err = export.ParseFormat(filepath.Ext(file))
	}
	if err != nil {
		return "", err
	}
	root := f.hands.workspace.Root()
	talk, err := f.talk()
	if err != nil {
		return "", err
	}
	name := "conversation"
	if s := f.agent.Session(); s != nil {
		name = s.ID()
	}
	if file != "" {
		if !filepath.IsAbs(file) {
			file = filepath.Join(root, file)
		}
		return file, export.File(file, as, talk)
	}
	for n := 1; ; n++ { // a name of our own takes nobody's place
		file = filepath.Join(root, "forge-"+name+as.Ext())
		if n > 1 {
			file = filepath.Join(root, fmt.Sprintf("forge-%s-%d%s", name, n, as.Ext()))
		}
		if _, err := os.Lstat(file); errors.Is(err, os.ErrNotExist) || n > 99 {
			return filepath.Base(file), export.File(file, as, talk)
		}
	}
}

func (f *forge) search(ctx context.Context, words string) ([]ui.Found, error) {
	hits, err := f.index().Search(ctx, search.Query{Text: words})
	if err != nil {
		return nil, err
	}
	var out []ui.Found
	for _, h := range hits {
		note := cli.Speaker(h.Who) + lang.T(", ") + h.When.Local().Format("2006-01-02")
		if h.Near {
			note += lang.T(", ") + lang.T("nearly")
		}
		out = append(out, ui.Found{ID: h.Session.ID, Title: h.Session.Title, Seq: h.Seq, Excerpt: h.Excerpt, Word: h.Excerpt[h.From:h.To], Note: note})
	}
	return out, nil
}

func (f *forge) read(id string, seq int) (string, int, error) {
	info, err := session.Find(f.dirs.Sessions(), id)
	if err != nil {
		return "", 0, err
	}
	t, err := export.Read(info)
	if err != nil {
		return "", 0, err
	}
	text, row := t.Text(seq)
	return text, row, nil
}

// preview is the last words of a conversation.
func (f *forge) preview(id string) string {
	info, err := session.Find(f.dirs.Sessions(), id)
	if err != nil {
		return err.Error()
	}
	rs, err := session.Tail(info.Path, 32<<10)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, r := range rs {
		if r.Message == nil {
			continue
		}
		text := strings.TrimSpace(r.Message.PlainText())
		if text == "" || r.Shell != nil {
			continue
		}
		mark := ""
		if r.Message.Role == provider.User {
			mark = "> "
		}
		b.WriteString(mark + text + "\n")
	}
	if session.Unfinished(rs).Anything() {
		b.WriteString(lang.T("(cut off)") + "\n")
	}
	where := cmp.Or(tilde.Short(info.Cwd), "")
	if info.Branch != "" {
		where = lang.T("%s on %s", where, info.Branch)
	}
	return b.String() + where
}

// recall is the tool by which the model searches its own conversation.
func (f *forge) recall(output string) tools.Tool {
	return search.Recall{Index: f.index(), Output: output, Path: func() string {
		if s := f.agent.Session(); s != nil {
			return s.Path()
		}
		return ""
	}}.Tool()
}
