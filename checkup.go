package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"forge/agent/config"
	"forge/mcp"
	"forge/programs"
	"forge/tools/sandbox"
	"forge/ui/cli"
	"forge/ui/doctor"
	"forge/ui/lang"
)

// checkup is what /doctor and forge doctor examine: what a start would be joined of,
// or what it was joined of.
type checkup struct {
	f       *forge
	root    string          // the workspace, absolute
	policy  *sandbox.Policy // in force; nil: what would be is found out
	mounted *mcp.Manager    // the servers that run; nil: none was mounted
	mount   bool            // start the servers to see how they stand
	session string          // the file of the conversation there is; empty: none
}

// doctor examines the forge that runs, for the screen.
func (f *forge) doctor(ctx context.Context, t doctor.Terminal) doctor.Report {
	c := checkup{f: f, root: f.hands.workspace.Root(), policy: f.hands.policy, mounted: f.mounted}
	if s := f.agent.Session(); s != nil {
		c.session = s.Path()
	}
	return c.examine(ctx, t)
}

// diagnose examines what a forge that began here would stand on.
func diagnose(ctx context.Context, flags cli.Flags) (doctor.Report, error) {
	return examineHere(ctx, flags, doctor.AskTerminal(os.Stdin, os.Stdout))
}

func examineHere(ctx context.Context, flags cli.Flags, seen doctor.Terminal) (doctor.Report, error) {
	f := &forge{flags: flags}
	defer func() { f.shut() }()
	dir, err := f.workspaceDir()
	if err != nil {
		return doctor.Report{}, err
	}
	if f.dirs, f.cfg, err = settings(dir); err != nil {
		return doctor.Report{}, err
	}
	f.source = newSource(flags, f.cfg, f.dirs, nil)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	c := checkup{f: f, root: dir, mount: true}
	return c.examine(ctx, seen), nil
}

// Times of the checks that wait for others.
const (
	modelWait    = 8 * time.Second
	endpointWait = 6 * time.Second // for each
	serversWait  = 8 * time.Second
	sandboxWait  = 7 * time.Second // bubblewrap is tried
	spellingWait = 7 * time.Second // the checkers are started
)

// examine is the table of the checks.
func (c checkup) examine(ctx context.Context, t doctor.Terminal) doctor.Report {
	// What forge runs by itself is none of the folder's own programs.
	here := doctor.Here{Look: func(program string) (string, error) { return programs.Find(program, c.root) }}
	t.Glyphs = c.f.cfg.Screen.Glyphs
	checks := []doctor.Check{
		{ID: "version.forge", Run: c.version},
		{ID: "model.chosen", Limit: modelWait, Run: c.model},
		{ID: "key.none", Limit: modelWait, Run: c.keys},
		{ID: "endpoint.none", Limit: modelWait + endpointWait, Run: c.endpoints},
		{ID: "config.files", Run: c.config},
		{ID: "trust.folder", Run: c.trust},
		{ID: "hooks.set", Run: c.hooks},
		{ID: "sandbox.form", Limit: sandboxWait, Run: c.sandbox},
	}
	checks = append(checks, here.Terminal(t)...)
	checks = append(checks, here.Programs()...)
	checks = append(checks, doctor.Check{ID: "program.spelling", Limit: spellingWait, Run: c.spelling})
	checks = append(checks, doctor.Check{ID: "mcp.none", Limit: serversWait + time.Second, Run: c.servers})
	checks = append(checks, doctor.Check{ID: "editor.none", Run: c.editors})
	checks = append(checks, doctor.Check{ID: "lsp.none", Run: c.languageServers})
	checks = append(checks, doctor.State(c.f.dirs.State)...)
	checks = append(checks, doctor.Check{ID: "forge.others", Run: c.others})
	return doctor.Examine(ctx, version(), checks)
}

func (c checkup) version(context.Context) []doctor.Finding {
	return []doctor.Finding{{ID: "version.forge", Level: doctor.Ok, Text: lang.T("this is forge %s, %s, %s", version(), runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH)}}
}

// places are the files whose rights matter, in the order they are read.
func (c checkup) places() []doctor.File {
	files := []doctor.File{}
	for _, p := range config.PolicyFiles() {
		files = append(files, doctor.File{ID: "config.policy", Path: p})
	}
	return append(files,
		doctor.File{ID: "config.user", Path: c.f.dirs.File(), Private: true},
		doctor.File{ID: "config.project", Path: config.ProjectFile(c.root)},
		doctor.File{ID: "config.mcp", Path: filepath.Join(c.f.dirs.Config, "mcp.json"), Private: true},
		doctor.File{ID: "config.folder", Path: c.f.dirs.Config})
}
