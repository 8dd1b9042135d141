package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"forge/lsp"
	"forge/tilde"
	"forge/tools"
	"forge/tools/trust"
	"forge/ui"
	"forge/ui/doctor"
	"forge/ui/lang"
	"forge/ui/safe"
)

// openLSP has language servers look at files after a call changed them, where the person
// switched that on. None is started or looked for before.
func (f *forge) openLSP(face *face) {
	servers, problems := lsp.Read(f.cfg.LSP)
	f.notices = append(f.notices, problems...)
	if len(servers) == 0 || f.scratch() {
		return
	}
	w := f.hands.workspace
	o := lsp.Options{
		Servers: servers, Root: w.Root(), Mark: f.hands.guardian.Mark, Version: version(),
		Approvals: trust.Open(f.dirs.Trust()), Consent: f.flags.TrustWorkspace,
		Resolve: func(path string) (string, error) {
			p, err := w.Resolve(path)
			return p.Abs, err
		},
		Withheld: func(path string) bool {
			_, err := w.Resolve(path)
			return err != nil || f.forbidden(path)
		},
		Notify: f.tellLSP(),
	}
	if face.turns != nil {
		o.Ask = func(ctx context.Context, s lsp.Server, folder string) (bool, error) {
			r, err := face.turns.Ask(ctx, lspQuestion(s, folder))
			return r.Choice == "start", err
		}
	}
	f.lsp = lsp.New(o)
	f.hands.exec.Checker = f.lsp
	f.close = append(f.close, f.lsp.Close)
}

// lspQuestion asks whether language servers may start in the folder.
func lspQuestion(s lsp.Server, folder string) tools.Question {
	return tools.Question{ID: "lsp", Source: "lsp", Title: lang.T("Start language servers in this folder?"),
		Body: lang.T("You switched on that errors are told after an edit; this one needs %s.", s.Name) + "\n\n  " + s.Starts(folder) + "\n\n" +
			lang.T("Language servers run with your rights, outside of any sandbox, and most of them run what a folder holds: build scripts, plugins, a compiler it brings along. Say yes only if you trust %s.", folder),
		Choices: []tools.Choice{{ID: "start", Label: lang.T("Start them here, now and later"), Key: "y"}, {ID: "no", Label: lang.T("Not in this conversation"), Key: "n"}}}
}

// tellLSP says once what a person should know of a server's state: that it is not there,
// and why.
func (f *forge) tellLSP() func(lsp.Status) {
	var mu sync.Mutex
	told := map[string]bool{}
	return func(st lsp.Status) {
		var text string
		switch {
		case st.State == lsp.Failed:
			text = lang.T("language server %s is not there: %s", st.Name, lang.Said(st.Reason))
		case st.State == lsp.Barred && f.flags.Headless:
			text = lang.T("language servers are not started: this folder is not trusted so far; open forge here and answer its question, or start it with --trust-workspace")
		}
		mu.Lock()
		again := told[text]
		told[text] = true
		mu.Unlock()
		switch {
		case text == "" || again:
		case f.flags.Headless:
			fmt.Fprintln(os.Stderr, "forge: "+safe.Output(text))
		default:
			f.tell(text)
		}
	}
}

// lspPanel is what the screen can do with them; nil: they are off.
func (f *forge) lspPanel() *ui.LanguageServers {
	if f.lsp == nil {
		return nil
	}
	said := func(err error) error {
		if err == nil {
			return nil
		}
		return errors.New(lang.Said(err.Error()))
	}
	return &ui.LanguageServers{
		Stop:  func(name string) error { return said(f.lsp.Stop(name)) },
		Start: func(name string) error { return said(f.lsp.Start(name)) },
		List: func() (out []ui.LanguageServer) {
			for _, st := range f.lsp.Status() {
				if st.Missing && !st.Own {
					continue
				}
				s := ui.LanguageServer{Name: st.Name, Command: st.Command, State: string(st.State), Reason: st.Reason, Runs: st.Pid > 0,
					Missing: st.Missing, About: st.About, Pid: st.Pid, Memory: st.Memory, Errors: st.Errors, Words: st.Words}
				if st.Root != "" {
					s.Folder = tilde.Short(st.Root)
				}
				out = append(out, s)
			}
			return out
		},
	}
}

// languageServers says of each server whether it is there.
func (c checkup) languageServers(context.Context) (out []doctor.Finding) {
	servers, problems := lsp.Read(c.f.cfg.LSP)
	for _, p := range problems {
		out = append(out, doctor.Finding{ID: "lsp.problem", Level: doctor.Warn, Text: lang.Said(p), Fix: lang.T("mend that line: %s", "forge config edit")})
	}
	if len(servers) == 0 {
		return append(out, doctor.Finding{ID: "lsp.none", Level: doctor.Ok, Text: lang.T("language servers are off; %s has errors told after an edit", "forge config set lsp true")})
	}
	m := c.f.lsp
	if m == nil {
		m = lsp.New(lsp.Options{Servers: servers, Root: c.root})
		defer m.Close()
	}
	there := false
	for _, st := range m.Status() {
		f := doctor.Finding{ID: "lsp." + st.Name, Level: doctor.Ok, Text: st.Name + lang.T(": ") + lang.Said(string(st.State))}
		switch {
		case st.Missing && !st.Own:
			continue
		case st.Missing:
			f.Level, f.Text, f.Fix = doctor.Warn, lang.T("%s: its program is not found: %s", st.Name, st.Command), lang.T("install it, or take it out of lsp: %s", "forge config edit")
		case st.State == lsp.Failed:
			f.Level, f.Text, f.Fix = doctor.Warn, f.Text+lang.T(": ")+lang.Said(st.Reason), lang.T("let it start again: /lsp start %s", st.Name)
		case st.State == lsp.Barred:
			f.Text += lang.T(": ") + lang.Said(st.Reason)
		}
		there = there || !st.Missing
		out = append(out, f)
	}
	if !there {
		out = append(out, doctor.Finding{ID: "lsp.none", Level: doctor.Warn, Text: lang.T("language servers are on, and none that is known is installed"), Fix: lang.T("install one, for example gopls or pyright, or name your own in lsp: %s", "docs/lsp.md")})
	}
	return out
}
