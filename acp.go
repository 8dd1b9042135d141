package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"

	"forge/agent/session"
	"forge/mcp"
	"forge/provider"
	"forge/provider/demo"
	"forge/tools/journal"
	"forge/tools/permission"
	"forge/ui/acp"
	"forge/ui/cli"
	"forge/ui/lang"
	"forge/ui/safe"
)

// editors is forge as the agent of an editor: each conversation is a forge of its own,
// in one process.
type editors struct {
	base  *forge // the log, and where things lie
	flags cli.Flags
	only  []string     // the folders conversations may be in; none: any
	count atomic.Int64 // conversations opened so far
}

// modelsWait is how long a new conversation waits for the list of models; one that takes
// longer is told later.
const modelsWait = 1500 * time.Millisecond

// serveEditor speaks the Agent Client Protocol on in and out, until in ends. What it has
// to say beside that goes to errs.
func serveEditor(ctx context.Context, flags cli.Flags, in io.Reader, out, errs io.Writer) error {
	if flags.Mode == permission.ModeYolo && os.Getenv("FORGE") != "" {
		return cli.Usage{Err: errYolo}
	}
	if flags.Continue || flags.Resume {
		return cli.Usage{Err: errors.New(lang.T("the editor chooses the conversation: forge acp takes neither --continue nor --resume"))}
	}
	// Nobody but the protocol writes to the editor's pipe, and an editor that went away
	// ends forge in order, not by a signal.
	if out == os.Stdout {
		os.Stdout = os.Stderr
	}
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	defer signal.Stop(pipes)
	e, err := newEditors(flags, errs)
	if err != nil {
		return err
	}
	defer e.base.shut()
	if i, ok := in.(*os.File); ok && term.IsTerminal(i.Fd()) {
		fmt.Fprintln(errs, "forge: "+lang.T("speaking the Agent Client Protocol on stdin and stdout; an editor starts this, see docs/acp.md"))
	}
	e.base.sweepBeside()
	return acp.Serve(ctx, in, out, e.host())
}

// newEditors reads the settings, opens the log, and says to errs what is wrong with them.
func newEditors(flags cli.Flags, errs io.Writer) (_ *editors, err error) {
	e := &editors{base: &forge{flags: flags}, flags: flags}
	if e.base.dirs, e.base.cfg, err = settings("."); err != nil {
		return nil, err
	}
	e.base.notices = append(e.base.notices, e.base.cfg.Problems...)
	e.base.openVeil()
	e.base.openLog()
	for _, n := range e.base.notices {
		fmt.Fprintln(errs, "forge: "+safe.Output(lang.Said(n)))
	}
	return e, nil
}

func (e *editors) host() acp.Host {
	return acp.Host{
		Version: version(), Log: slog.Default(),
		Ready: e.ready, Open: e.open, List: e.list, Delete: e.delete,
	}
}

// ready says whether there is a model, looking at keys and settings anew.
func (e *editors) ready(ctx context.Context) error {
	if e.flags.Demo {
		return nil
	}
	dirs, cfg, err := settings(".")
	if err != nil {
		return err
	}
	_, _, err = newSource(e.flags, cfg, dirs, nil).Choose(ctx)
	return err
}

func (e *editors) list() (out []acp.Stored, err error) {
	all, err := session.List(e.base.dirs.Sessions())
	for _, i := range all {
		if e.allowed(i.Cwd) != nil {
			continue
		}
		out = append(out, acp.Stored{ID: i.ID, Cwd: i.Cwd, Title: safe.Line(i.Title), Updated: i.Updated.UTC().Format(time.RFC3339)})
	}
	return out, err
}

// stored finds a conversation by its whole ID: nothing else an editor sends names a file.
func (e *editors) stored(id string) (session.Info, error) {
	info, err := session.Find(e.base.dirs.Sessions(), id)
	if err != nil || info.ID != id {
		return info, acp.ErrNoSession
	}
	if err := e.allowed(info.Cwd); err != nil {
		return info, err
	}
	if session.InUse(info.Path) {
		return info, acp.Wrong{Err: errors.New(lang.N("another forge has this conversation open; leave it there first"))}
	}
	return info, nil
}

func (e *editors) delete(id string) error {
	info, err := e.stored(id)
	if err != nil {
		return err
	}
	if err := session.Remove(info.Path); err != nil {
		return err
	}
	return errors.Join(journal.Forget(e.base.undoDir(), info.ID), e.base.index().Forget(info.ID))
}

// open begins a conversation in a folder, or goes on with a stored one.
func (e *editors) open(ctx context.Context, s acp.Start, to *acp.Line) (*acp.Talk, error) {
	for _, dir := range slices.Concat([]string{s.Cwd}, s.AddDirs) {
		if err := e.allowed(dir); err != nil {
			return nil, err
		}
	}
	flags := e.flags
	flags.Dir, flags.AddDirs = s.Cwd, slices.Concat(flags.AddDirs, s.AddDirs)
	n := e.count.Add(1)
	if flags.Raw != "" && n > 1 { // each has its own
		flags.Raw += "." + strconv.FormatInt(n, 10)
	}
	if s.ID != "" {
		if _, err := e.stored(s.ID); err != nil {
			return nil, err
		}
		flags.ResumeID = s.ID
	}
	f := &forge{flags: flags, lent: lent(s.Servers), said: to.Notice}
	t := &edited{forge: f, line: to, face: &face{permission: noted{to, f}, turns: heralded{to.Questions(), f}, models: wondered{heralded{to.Questions(), f}, f}}}
	life, stop := context.WithCancel(context.Background())
	t.life, f.stirred = life, t.stir
	if err := t.join(ctx, t.face); err != nil {
		stop()
		f.shut()
		var u cli.Usage
		if errors.As(err, &u) {
			return nil, acp.Wrong{Err: u.Err}
		}
		return nil, err
	}
	f.close = append(f.close, func() {
		t.mu.Lock()
		stop() // nothing is begun any more
		t.mu.Unlock()
		t.beside.Wait()
	})
	if f.noModel != nil {
		f.shut()
		return nil, acp.NoModel{Err: f.noModel}
	}
	if flags.Mode == permission.ModeYolo { // whoever set the editor up wrote it there
		f.hands.guard.SetMode(permission.ModeYolo)
	}
	if f.stored != "" {
		if err := f.resume(f.stored); err != nil {
			f.shut()
			return nil, err
		}
	}
	f.prune()
	for _, n := range f.notices {
		to.Notice(n)
	}
	f.notices = nil
	t.commands = f.fileCommands(t.face)
	t.look()
	t.mu.Lock()
	t.joined = true
	t.mu.Unlock()
	t.stir()
	return t.talk(n), nil
}

// lent are an editor's servers as forge mounts servers. Their texts mean what they say,
// where a settings file's may refer to the environment.
func lent(servers []acp.Server) map[string]mcp.ServerConfig {
	out := map[string]mcp.ServerConfig{}
	for _, s := range servers {
		name := plainServer(s.Name)
		for i := 2; ; i++ {
			if _, taken := out[name]; !taken {
				break
			}
			name = fmt.Sprintf("%s-%d", plainServer(s.Name), i)
		}
		c := mcp.ServerConfig{Type: s.Type, Command: literal(s.Command), URL: literal(s.URL), Source: mcp.Source{Scope: "flag"}}
		for _, a := range s.Args {
			c.Args = append(c.Args, literal(a))
		}
		for k, v := range s.Env {
			if c.Env == nil {
				c.Env = map[string]string{}
			}
			c.Env[k] = literal(v)
		}
		for k, v := range s.Headers {
			if c.Headers == nil {
				c.Headers = map[string]string{}
			}
			c.Headers[k] = literal(v)
		}
		out[name] = c
	}
	return out
}

// literal is a text that expands to s, whatever stands in it.
func literal(s string) string { return strings.ReplaceAll(s, "${", "${FORGE_NO_SUCH_THING:-$}{") }

// plainServer is a server's name as the names of its tools may have it.
func plainServer(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
			return r
		}
		return '-'
	}, s)
	if s = strings.Trim(s, "-_."); s == "" {
		return "server"
	}
	return s
}

// look lists the models an editor may choose among. A list that takes its time comes
// later; the conversation can begin without it.
func (t *edited) look() {
	if t.flags.Demo {
		t.models = []provider.Model{demo.Model()}
		return
	}
	done := make(chan struct{})
	t.beside.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				slog.Error("listing models crashed", "panic", p)
			}
		}()
		offers, err := t.source.Offers(t.life, "")
		logged("models not listed", err)
		t.mu.Lock()
		for _, o := range offers {
			if o.Ready {
				t.models = append(t.models, o.Model)
			}
		}
		late := t.late
		t.mu.Unlock()
		close(done)
		if late {
			t.line.OptionsChanged()
		}
	})
	select {
	case <-done:
	case <-time.After(modelsWait):
		t.mu.Lock()
		t.late = true
		t.mu.Unlock()
	}
}
