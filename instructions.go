package main

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"forge/agent"
	"forge/compact"
	"forge/ui"
	"forge/ui/lang"
)

// instructions are the files of standing instructions of a session.
type instructions struct {
	files []agent.MemoryFile // in the system prompt

	mu      sync.Mutex
	beneath []agent.MemoryFile // that came when their folder was touched
}

// readInstructions finds what goes into the system prompt.
func (f *forge) readInstructions() {
	files, warnings := f.findInstructions()
	for _, w := range warnings {
		f.tell(w)
	}
	f.memory.mu.Lock()
	f.memory.files = files
	f.memory.mu.Unlock()
	f.began, f.branch = time.Now(), agent.GitBranch(f.hands.workspace.Root())
}

// findInstructions finds the standing instructions there are now, without their secrets.
func (f *forge) findInstructions() ([]agent.MemoryFile, []string) {
	home, err := os.UserHomeDir()
	logged("home folder not found", err)
	files, warnings := agent.FindMemory(agent.Places{Root: f.hands.workspace.Root(), User: f.dirs.Config, Every: filepath.Dir(f.dirs.Config), Home: home})
	for i, m := range files {
		if text := f.kept(m.Text); text != m.Text {
			files[i].Text = text
			warnings = append(warnings, lang.T("%s holds secrets; they are hidden from the model", m.Name))
		}
	}
	return files, warnings
}

// beneath finds the instructions of the folders that calls touched; sub-agents' calls,
// too, from their goroutines.
func (f *forge) beneath(paths []string) []agent.Attachment {
	found := agent.MemoryBeneath(f.hands.workspace.Root(), paths)
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	for _, a := range found {
		m := agent.MemoryFile{Name: a.Label, Text: f.kept(a.Text)}
		f.memory.beneath = append(slices.DeleteFunc(f.memory.beneath, func(o agent.MemoryFile) bool { return o.Name == m.Name }), m)
	}
	return found
}

// memories lists the instructions for /memory, with the tokens that /context says.
func (f *forge) memories() (out []ui.MemoryInfo) {
	count := f.agent.Counter()
	seen := map[string]int{} // by the window
	for _, e := range f.agent.Window().Entries {
		if e.Kind == string(compact.ItemAttached) && !e.Dropped {
			seen[e.Name] = e.Tokens
		}
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	for _, m := range f.memory.files {
		out = append(out, ui.MemoryInfo{Name: m.Name, Text: m.Text, Tokens: count(m.Text), User: m.User})
	}
	for _, m := range f.memory.beneath {
		tokens, ok := seen[m.Name]
		if !ok {
			tokens = count(m.Text)
		}
		out = append(out, ui.MemoryInfo{Name: m.Name, Text: m.Text, Tokens: tokens, Touched: true})
	}
	return out
}

// writeSystem fixes the system prompt for the session, so that the prefix of
// every request stays the same to the byte. That of a conversation that was moved stays,
// too, and the model is told of what is another.
func (f *forge) writeSystem() {
	f.readInstructions()
	if f.from != nil && len(f.from.agent.History()) > 0 {
		f.system, f.standing = f.from.system, f.from.standing
		return
	}
	f.system, f.standing = f.systemPrompt(), f.memory.files
}

// systemPrompt is that of this folder.
func (f *forge) systemPrompt() string {
	o := f.promptOptions(f.hands.registry.Names())
	o.Override = firstText(f.flags.System, f.cfg.SystemPrompt)
	return agent.SystemPrompt(o)
}

// ownSystem has a conversation that begins, or that another folder's takes the place of,
// begin with the system prompt of this folder.
func (f *forge) ownSystem() {
	if !f.moves.isStale() {
		return
	}
	f.moves.fresh()
	f.readInstructions()
	f.system, f.standing = f.systemPrompt(), f.memory.files
	f.reloaded.forget()
	f.agent.Instruct(f.system, f.standing)
}
