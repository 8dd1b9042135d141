package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"forge/agent"
	"forge/tools/journal"
	"forge/tools/sandbox"
	"forge/tools/search"
	"forge/ui"
	"forge/ui/lang"
	"forge/ui/safe"
)

// openJournal makes the undo journal of the workspace, and has the door tell it of
// every call.
func (f *forge) openJournal() {
	if f.cfg.Undo.Journal == "off" {
		return
	}
	jobs := &f.hands.env.Jobs
	f.journal = journal.New(journal.Options{
		Dir: f.undoDir(), Roots: f.hands.workspace.WritableRoots(),
		Skip: []string{f.dirs.State, f.dirs.Cache}, Rules: ignoreRules,
		Git:    sandbox.GitWith,
		Limits: journal.Limits{File: int64(f.cfg.Undo.FileMB) << 20, Total: int64(f.cfg.Undo.TotalMB) << 20, Session: int64(f.cfg.Undo.TotalMB) << 20 / 4},
		Busy: func() bool {
			for _, j := range jobs.List() {
				if j.Running {
					return true
				}
			}
			return false
		},
		Now: func() time.Time {
			if s := f.agent.Session(); s != nil {
				return s.Now()
			}
			return time.Now()
		},
		Tell: func(text string) {
			if f.flags.Headless {
				fmt.Fprintln(os.Stderr, "forge: "+safe.Output(text))
				return
			}
			f.tell(text)
		},
	})
	f.close = append(f.close, f.journal.Close)
	f.hands.exec.Recorder = f.journal
	f.hands.undo = f.journal.Largest()
	f.hands.env.UndoLimit = f.hands.undo
}

// undoDir is where journals are kept.
func (f *forge) undoDir() string { return filepath.Join(f.dirs.State, "undo") }

// journalled goes on with the journal of the conversation there is now. A copy of
// a conversation has a copy of what its journal held.
func (f *forge) journalled(copied bool) {
	if f.journal == nil {
		return
	}
	id := ""
	if s := f.agent.Session(); s != nil {
		id = s.ID()
	}
	open := f.journal.Open
	if copied {
		open = f.journal.Fork
	}
	if err := open(id); err != nil {
		f.tell(lang.T("what was changed before cannot be taken back: %s", err.Error()))
	}
}

// ignoring lets the journal use the ignore rules of searches.
type ignoring struct{ *search.Rules }

func (r ignoring) Below(name string) journal.Rules { return ignoring{r.Rules.Below(name)} }

func ignoreRules(root string) journal.Rules { return ignoring{search.NewRules(root)} }

// recorded is the agent, with its runs and turns told to the journal.
type recorded struct {
	*agent.Agent
	journal *journal.Journal         // nil: none is kept
	kept    func(text string) string // as it may be kept on disk
	used    func(paths []string)     // hears which files calls are about; nil: nobody does
	look    func() (end func())      // lets nothing change until its end
	begins  func()                   // hears that the person begins a run
}

// Run implements ui.Agent.
func (r recorded) Run(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
	if r.journal != nil {
		r.journal.Begin(r.kept(cmp.Or(p.Line, p.Text)))
	}
	if !p.Timed {
		r.begins()
	}
	if p.Looks {
		defer r.look()()
	}
	return r.Agent.Run(ctx, p, func(e agent.Event) {
		switch e := e.(type) {
		case agent.TurnStart:
			if r.journal != nil {
				r.journal.Turn(e.Turn)
			}
		case agent.ToolStart:
			if r.used != nil && len(e.Effect.Paths) <= mostMentions {
				r.used(e.Effect.Paths)
			}
		}
		sink(e)
	})
}

// undo plans for the screen. what is "", the last prompt's changes; "turn", those of
// its last model turn; or "redo".
func (f *forge) undo(what string) (*ui.Takeback, error) {
	if f.journal == nil {
		return nil, errors.New(`nothing is remembered of changes: the setting undo.journal is "off"`)
	}
	var p *journal.Plan
	var err error
	switch what {
	case "redo":
		p, err = f.journal.Redo()
	case "turn":
		p, err = f.journal.Undo(journal.LastTurn)
	default:
		p, err = f.journal.Undo(journal.LastRun)
	}
	return f.takeback(p, err)
}

// undoSince plans to take back what was changed since a prompt; nil: nothing was.
func (f *forge) undoSince(t time.Time) (*ui.Takeback, error) {
	if f.journal == nil {
		return nil, nil
	}
	return f.takeback(f.journal.Since(t))
}

func (f *forge) takeback(p *journal.Plan, err error) (*ui.Takeback, error) {
	if errors.Is(err, journal.ErrNothing) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t := &ui.Takeback{Label: p.Label, When: p.When, Redo: p.Redo, Turns: p.Turns}
	for _, x := range p.Files {
		t.Files = append(t.Files, takebackFile(x))
	}
	t.Apply = func() ([]ui.TakebackFile, []ui.TakebackFile, error) {
		done, err := p.Apply()
		if err != nil {
			return nil, nil, err
		}
		var changed, kept []ui.TakebackFile
		for _, x := range done.Files {
			changed = append(changed, takebackFile(x))
		}
		for _, x := range done.Kept {
			kept = append(kept, takebackFile(x))
		}
		if len(changed) > 0 && f.lsp != nil {
			f.lsp.Changed()
		}
		if len(changed) > 0 {
			f.agent.Note(undoneText(p, done), t.Said(changed, kept))
		}
		return changed, kept, nil
	}
	return t, nil
}

func takebackFile(x journal.File) ui.TakebackFile {
	return ui.TakebackFile{Path: x.Path, Do: ui.TakebackDo(x.Do), Dir: x.Dir, Why: x.Why, Hunks: x.Hunks}
}

// undoneText is what the model is told. Its next edit of such a file is refused
// until it has read it again.
func undoneText(p *journal.Plan, done journal.Done) string {
	var b bytes.Buffer
	if p.Redo {
		b.WriteString("the user brought back changes to files that were taken back before.")
	} else {
		b.WriteString("the user took back changes to files that were made in this conversation.")
	}
	b.WriteString(" The files are now different from what was read and written here; read them again before you rely on them, and do not make the changes again unless you are asked to.\n")
	const most = 40
	for i, x := range done.Files {
		if i == most {
			fmt.Fprintf(&b, "- and %d more\n", len(done.Files)-most)
			break
		}
		what := map[journal.Do]string{journal.Restore: "restored", journal.Remove: "removed", journal.Merge: "restored, with the user's later edits kept", journal.Mode: "permissions restored"}[x.Do]
		fmt.Fprintf(&b, "- %s: %s\n", x.Path, what)
	}
	for i, x := range done.Kept {
		if i == most {
			break
		}
		fmt.Fprintf(&b, "- %s: stays as it is (%s)\n", x.Path, cmp.Or(x.Why, "kept"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// sessionDiff is what the conversation changed; empty where nothing, or where
// nothing is remembered.
func (f *forge) sessionDiff() string {
	if f.journal == nil {
		return ""
	}
	return f.journal.Diff()
}
