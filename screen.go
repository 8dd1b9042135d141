package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/charmbracelet/x/term"

	"forge/agent"
	"forge/agent/session"
	"forge/mcp"
	"forge/models"
	"forge/tilde"
	"forge/tools/permission"
	"forge/tools/sandbox"
	"forge/tools/search"
	"forge/ui"
	"forge/ui/clipboard"
	"forge/ui/lang"
	"forge/ui/theme"
	"forge/ui/tips"
)

// screen shows the full-screen face until the person leaves.
func (f *forge) screen(ctx context.Context, face *face) error {
	o := f.shown(ctx, face)
	f.worn(&o)
	o.Prompt = f.firstPrompt()
	if o.Lines {
		if s, ok := ctx.Value(signalsKey{}).(*signals); ok {
			o.Interrupts = s.interrupts()
		}
		o.Agent = &illustrated{o.Agent, strings.TrimSpace(f.drafted)}
	}
	if f.stored != "" {
		o.Restore, o.Peek = f.restore, f.peek
	}
	f.feed = face.feed
	err := ui.Run(ctx, o)
	f = f.current()
	if s := f.agent.Session(); s != nil && f.sits().spoke.Load() && len(f.agent.History()) > 0 && term.IsTerminal(os.Stdout.Fd()) {
		id := s.ID()
		fmt.Printf(lang.T("this conversation goes on with: forge -r %s\n"), id[strings.LastIndexByte(id, '-')+1:])
	}
	return err
}

// shown is what a screen can do in this folder. What it starts ends with the forge, or with
// life, which is that of the screen.
func (f *forge) shown(life context.Context, face *face) ui.Options {
	root := f.hands.workspace.Root()
	prompts, release := session.Prompts{Dir: f.dirs.State, Folder: root}.Claim()
	f.close = append(f.close, release)
	f.undraft = func() { logged("draft not forgotten", prompts.SaveDraft("")) }
	history := prompts.History()
	finder := &search.Finder{Root: root, Tracked: tracked(root)}
	menu := &fileMenu{home: finder, open: f.added}
	o := ui.Options{
		Agent: recorded{Agent: f.agent, journal: f.journal, kept: f.kept, look: f.onlyLook, begins: f.goal.begins, used: func(paths []string) { usedIn(finder, root, "", paths) }}, Feed: face.feed, Ledger: f.ledger(),
		Model: f.model, Effort: models.Effort(f.choice), SetModel: f.setModel, Models: f.models, Favorites: f.favorites(),
		Mode: f.hands.guard.Mode(), SetMode: f.hands.guard.SetMode, InForce: f.hands.guard.Mode, Laxest: permission.Mode(f.cfg.Policy.Mode), Yolo: f.wantedMode() == permission.ModeYolo, Sandbox: f.hands.policy.Name(), Network: f.hands.policy.Active() && f.hands.policy.Network(),
		Sessions: f.sessions, Resume: f.resumeByID, New: f.newSession,
		KeepQueue: f.agent.Waits, Offer: f.offer,
		Stored:  f.library(),
		Earlier: f.earlier, RunOwn: f.hands.env.RunOwn, OnTerminal: f.hands.env.OnTerminal, Background: f.hands.env.Jobs.Background, MoreTime: f.hands.env.Jobs.MoreTime, Jobs: f.watchJobs(face.feed),
		Undo: f.undo, UndoSince: f.undoSince, SessionDiff: f.sessionDiff,
		GitDiff: func(ctx context.Context) (string, error) { return sandbox.GitDiff(ctx, root) },
		Files:   menu.find,
		Todos:   f.todos,
		Started: func(ctx context.Context) { f.started(ctx, face, finder, history) },
		History: history,
		AppendHistory: func(s string) {
			f.sits().spoke.Store(true)
			usedIn(finder, root, s, nil)
			logged("prompt not kept", prompts.Add(f.kept(s)))
		},
		Draft: f.draft(prompts),
		SaveDraft: func(s string) {
			if f.current() == f { // else it is written elsewhere
				logged("draft not kept", prompts.SaveDraft(f.kept(s)))
			}
		},
		Cwd: tilde.Short(root), Dir: root,
		RunStatus: f.runStatus, Place: f.where,
		Clipboard: func(ctx context.Context, text string) error { return clipboard.Native(ctx, text, f.elsewhere) },
	}
	f.hands.env.Terminal = true
	o.Settings, o.Powers, o.Tools, o.SwitchTool = f.settingsEditor(), f.powers, f.toolList, f.hands.registry.Switch
	o.Crew, o.Hooks = f.crewNow(), f.hooksShown()
	o.Agents, o.Memory, o.Doctor, o.Feedback = f.agents, f.memories, f.doctor, f.feedback
	o.Btw = func(ctx context.Context, question string, say func(string)) (agent.Totals, error) {
		err := f.agent.Ask(ctx, question, say)
		return f.agent.Totals(), err
	}
	o.Suggest = f.besideWork(f.agent.Suggest)
	o.Recap, o.MakeName = f.besideWork(f.agent.Recap), f.besideWork(f.agent.MakeName)
	o.Browser, o.NoBrowser = mcp.Browser(f.hands.workspace.WritableRoots()...)
	o.LSP = f.lspPanel()
	o.Servers, o.Prompts, o.Mentions = f.servers(), f.prompts(), f.mentions()
	o.FromFiles, o.Skills = f.fileCommands(face).screen(), f.skills.screen()
	o.Goal, o.Loops, o.Reload = f.goal.screen(), &f.loops, f.reload
	o.Pictures, o.Logins = f.attachable(), f.logins()
	o.Folders, o.Paths = f.foldersHere(), f.findPaths
	o.Folders.Go = func(name string) (ui.Options, error) { return f.current().moveTo(life, face.feed, name) }
	o.IDE = f.openBridge(face.feed)
	if f.noModel != nil {
		o.FirstRun = f.firstRun()
	}
	o.Ways = func() *ui.FirstRun {
		ways := f.firstRun()
		ways.Demo = nil // it would end the conversation
		return ways
	}
	return o
}

// worn is what is the person's own of a screen, wherever they work.
func (f *forge) worn(o *ui.Options) {
	c, words := f.cfg.Screen, f.speller()
	f.atEnd(words.Close)
	o.Version, o.Changelog = version(), changelog
	o.RecapAfter, o.NoAwayLine, o.Suggests = c.RecapAfter, c.NoAwayLine, c.Suggest
	o.Theme, o.ThemeDir, o.WatchThemes, o.Glyphs = firstText(f.flags.Theme, f.cfg.Theme), f.dirs.Themes(), theme.Watch, c.Glyphs
	o.Scrollbar, o.Wheel, o.Reasoning, o.Still, o.Times, o.Focus, o.Panel = c.Scrollbar, c.Wheel, c.Reasoning, c.Still, c.Times, c.Focus, c.Panel
	o.Lines = f.inLines()
	o.NoMouse, o.Inline = f.flags.NoMouse || c.NoMouse, f.flags.Inline || c.Inline
	o.Keys, o.Vim, o.VimEscape, o.NoEmoji = f.keys, f.cfg.Vim, f.cfg.VimEscape, f.cfg.NoEmoji
	o.Spelling, o.Dictation = words.screen(), f.dictation()
	o.Parting, o.Notify, o.Status, o.StatusCommand = c.Exit, c.Notify, c.Status, c.Command
	if o.NoTips = c.Tips != nil && !*c.Tips; !o.Lines || c.Tips != nil && *c.Tips { // lines are read aloud: nothing comes unasked
		o.Tips = &tips.Book{Path: filepath.Join(f.dirs.State, "tips.json")}
	}
	o.NoTitle, o.TitleShows, o.NoProgress, o.Images, o.Links = c.NoTitle, c.TitleShows, c.NoProgress, c.Images, c.Links
}

// started is what is done behind the first frame, so that it waits for none of it.
func (f *forge) started(ctx context.Context, face *face, finder *search.Finder, history []string) {
	for _, n := range f.notices {
		face.feed.Notice(n)
	}
	asked := f.greetBeside(ctx)
	openFinder(ctx, finder, history)
	if f.sits().now.Load() == nil { // else that was done
		f.prunePictures()
		f.sweepScratch(ctx)
	}
	debug.FreeOSMemory() // a start leaves a megabyte behind that an idle forge would hold for minutes
	f.tellUpdate(ctx, face.feed.Notice)
	<-asked
}
