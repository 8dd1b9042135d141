package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"forge/agent/config"
	"forge/mcp"
	"forge/tools"
	"forge/tools/diff"
	"forge/tools/trust"
	"forge/ui/cli"
	"forge/ui/lang"
)

// powers are the files by which a workspace makes forge do something. What a project
// says in .forge/forge.json is not among them: it can only restrict. AGENTS.md is
// text for the model, and no more.
func powers() []trust.Power {
	return append([]trust.Power{{Path: ".mcp.json", Does: lang.N("starts MCP servers")}}, agentPowers()...)
}

// doorkeeper answers for a workspace's files with power: one question at the start,
// and nothing of them in force before it was answered. It stands between the MCP
// room and the person, whom that room would ask about each server by itself.
type doorkeeper struct {
	folder  string
	store   *trust.Store
	next    tools.Asker   // the person
	consent bool          // --trust-workspace: for this run, nothing is kept
	asked   chan struct{} // closed when the question was answered, or need not be put
	once    sync.Once
	more    func() bool         // something beside servers waits for the answer; nil: nothing does
	also    func() []trust.File // more files it is about; nil: none
	trusted func([]trust.File)  // hears of the files that the person said yes to; may be nil

	mu   sync.Mutex
	yes  bool
	told map[string]bool // servers that the answer no was given for
}

func newDoorkeeper(s *servers, next tools.Asker, consent bool) *doorkeeper {
	return &doorkeeper{folder: s.dir, store: s.trust, next: next, consent: consent, asked: make(chan struct{}), told: map[string]bool{}}
}

// Approved implements mcp.Approvals.
func (d *doorkeeper) Approved(folder, item, hash string) bool {
	return d.consent || d.store.Approved(folder, item, hash)
}

// Approve implements mcp.Approvals.
func (d *doorkeeper) Approve(folder, item, hash string) error {
	return d.store.Approve(folder, item, hash)
}

// Ask implements tools.Asker. Whether a project's server may start is what the
// workspace's question was about; whoever tries a server again later is asked about
// that one.
func (d *doorkeeper) Ask(ctx context.Context, q tools.Question) (tools.Reply, error) {
	if q.Source != "mcp" || len(q.Choices) == 0 || q.Choices[0].ID != "start" {
		return d.next.Ask(ctx, q)
	}
	select {
	case <-d.asked:
	case <-ctx.Done():
		return tools.Reply{}, ctx.Err()
	}
	d.mu.Lock()
	again := d.told[q.ID]
	d.told[q.ID] = true
	yes := d.yes
	d.mu.Unlock()
	switch {
	case again:
		return d.next.Ask(ctx, q)
	case yes:
		return tools.Reply{Choice: "start"}, nil
	}
	return tools.Reply{Choice: "no"}, nil
}

// anew has the person asked about a server by itself: it is not the one that the question
// about the workspace showed.
func (d *doorkeeper) anew(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.told["mcp:"+name] = true
}

func (d *doorkeeper) decide(yes bool) {
	d.once.Do(func() {
		d.mu.Lock()
		d.yes = yes
		d.mu.Unlock()
		close(d.asked)
	})
}

// greet puts the one question about the workspace, after the first frame. ask puts it
// before the person; say tells them something.
func (d *doorkeeper) greet(ctx context.Context, all map[string]mcp.ServerConfig, ask func(context.Context, tools.Question) (tools.Reply, error), say func(string)) {
	defer d.decide(false)
	if !d.wanted(all) && (d.more == nil || !d.more()) {
		d.decide(true)
		return
	}
	files, err := trust.Find(d.folder, powers())
	if err != nil {
		say(lang.T("this folder is not trusted, what it configures is left out: %s", err.Error()))
		return
	}
	if d.also != nil {
		files = append(files, d.also()...)
	}
	changes, err := d.store.Changes(d.folder, files)
	if err != nil {
		say(lang.T("this folder is not trusted, what it configures is left out: %s", err.Error()))
		return
	}
	if len(changes) == 0 {
		d.decide(true)
		return
	}
	r, err := ask(ctx, trustQuestion(d.folder, changes, all))
	if err != nil || r.Choice != "trust" {
		return
	}
	if err := d.store.Trust(d.folder, files); err != nil {
		say(lang.T("that this folder is trusted is not kept: %s", err.Error()))
	}
	if d.trusted != nil {
		d.trusted(files)
	}
	d.decide(true)
}

// wanted says whether a server of the project was not approved by itself already.
func (d *doorkeeper) wanted(all map[string]mcp.ServerConfig) bool {
	for name, c := range all {
		if c.Source.Scope == "project" && !c.Disabled && c.Problem == "" && !d.store.Approved(d.folder, "mcp:"+name, c.Identity()) {
			return true
		}
	}
	return false
}

// trustQuestion shows every file that is new or another, whole, and what it would
// start. Nothing of it is cut.
func trustQuestion(folder string, changes []trust.Change, all map[string]mcp.ServerConfig) tools.Question {
	var b strings.Builder
	b.WriteString(lang.T("These files of %s make forge do something. Until you trust them, none is in force. The answer holds until one of them changes.", folder) + "\n")
	for _, c := range changes {
		fmt.Fprintf(&b, "\n%s: %s", c.Path, lang.T(c.Does))
		if c.Link != "" {
			fmt.Fprintf(&b, " (%s)", lang.T("a link to %s", c.Link))
		}
		b.WriteString("\n")
		if c.Path == ".mcp.json" {
			for _, name := range slices.Sorted(maps.Keys(all)) {
				if s := all[name]; s.Source.Scope == "project" && !s.Disabled {
					what := s.Line()
					if !s.Local() {
						what = s.URL
					}
					fmt.Fprintf(&b, "  %s: %s\n", name, what)
				}
			}
		}
		b.WriteString("\n")
		switch {
		case c.New:
			b.WriteString(indent(string(c.Text)))
		case c.Was == nil:
			b.WriteString(lang.T("It is not what you trusted any more. Now it holds:") + "\n" + indent(string(c.Text)))
		default:
			b.WriteString(lang.T("It changed since you trusted it:") + "\n" + indent(diff.Unified(c.Path, c.Path, diff.Hunks(c.Was, c.Text))))
		}
	}
	return tools.Question{
		ID: "trust", Source: "trust", Title: lang.T("Do you trust this folder?"), Body: b.String(),
		Choices: []tools.Choice{{ID: "trust", Label: lang.T("Trust these files"), Key: "y"}, {ID: "no", Label: lang.T("Go on without them"), Key: "n"}},
	}
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
}

// trusted is everything a person said yes to, for `forge trust list`.
func trusted() ([]cli.Trusted, error) {
	dirs, err := config.Paths()
	if err != nil {
		return nil, err
	}
	es, err := trust.Open(dirs.Trust()).List()
	return shown(es), err
}

// distrust takes it back, for `forge trust revoke`.
func distrust(folder, what string) ([]cli.Trusted, error) {
	dirs, err := config.Paths()
	if err != nil {
		return nil, err
	}
	es, err := trust.Open(dirs.Trust()).Forget(folder, func(item string) bool {
		// A project's servers are trusted by that file.
		return what == "" || item == what || item == trust.FileItem(what) || what == ".mcp.json" && strings.HasPrefix(item, "mcp:")
	})
	return shown(es), err
}

func shown(es []trust.Entry) (out []cli.Trusted) {
	for _, e := range es {
		_, err := os.Stat(e.Folder)
		out = append(out, cli.Trusted{Folder: e.Folder, What: strings.TrimPrefix(e.Item, trust.FileItem("")), Since: e.Time, Gone: err != nil})
	}
	return out
}
