package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"forge/agent/config"
	"forge/agent/session"
	"forge/mcp"
	"forge/models"
	"forge/provider"
	"forge/provider/catalog"
	"forge/tilde"
	"forge/tools"
	"forge/tools/sandbox"
	"forge/tools/trust"
	"forge/ui/cli"
	"forge/ui/doctor"
	"forge/ui/lang"
)

// chosen is the model that is in force, or that a start would choose, and what a start
// would say of it.
func (c checkup) chosen(ctx context.Context) (catalog.Choice, string, error) {
	if choice, _ := c.f.answering(); choice.Model.ID != "" {
		return choice, "", nil
	}
	return c.f.source.Choose(ctx)
}

func (c checkup) model(ctx context.Context) (out []doctor.Finding) {
	if c.f.flags.Demo {
		return []doctor.Finding{{ID: "model.chosen", Level: doctor.Ok, Text: lang.T("the scripted model of --demo: no key and no network")}}
	}
	choice, note, err := c.chosen(ctx)
	if note != "" {
		out = append(out, doctor.Finding{ID: "model.last", Level: doctor.Warn, Text: note, Fix: lang.T("set that key again, or choose another model: it is remembered in its place")})
	}
	if err != nil && !offered(err) {
		return append(out, doctor.Finding{ID: "model.chosen", Level: doctor.Fail, Text: lang.Said(err.Error()), Fix: lang.T("forge does not open until then; other flags or settings may name another model")})
	}
	if err != nil {
		fix := lang.T("forge opens with ways to a model; or set a key, for example %s", setting(runtime.GOOS, "ANTHROPIC_API_KEY"))
		var pe *provider.Error
		if errors.As(err, &pe) && pe.Hint != "" {
			fix = lang.Said(pe.Hint)
		}
		return append(out, doctor.Finding{ID: "model.chosen", Level: doctor.Fail, Text: lang.Said(err.Error()), Fix: fix})
	}
	m := choice.Model
	text := lang.T("the model is %s", m.Provider+"/"+m.ID)
	if choice.Why != "" {
		text += " (" + lang.Said(choice.Why) + ")"
	}
	out = append(out, doctor.Finding{ID: "model.chosen", Level: doctor.Ok, Text: text})
	if m.Window > 0 {
		out = append(out, doctor.Finding{ID: "model.window", Level: doctor.Ok, Text: lang.T("window: %s tokens", cli.Tokens(m.Window))})
	} else {
		out = append(out, doctor.Finding{ID: "model.window", Level: doctor.Warn, Text: lang.T("nobody knows the window of %s, so that it is guessed when to shorten", m.ID), Fix: lang.T("say it: %s", "forge config set context_window 128000")})
	}
	switch {
	case m.Local:
		out = append(out, doctor.Finding{ID: "model.price", Level: doctor.Ok, Text: lang.T("price: none, it runs on this machine")})
	case m.Price.Known:
		out = append(out, doctor.Finding{ID: "model.price", Level: doctor.Ok, Text: lang.T("price: %s", cli.Price(m.Price))})
	default:
		out = append(out, doctor.Finding{ID: "model.price", Level: doctor.Warn, Text: lang.T("nobody knows the price of %s, so that no costs are shown", m.ID), Fix: lang.T("say it, in US dollars per million tokens: %s", "forge config set prices.input 1, forge config set prices.output 4")})
	}
	return out
}

// keys says which keys there are and where they came from, and never a letter of one.
func (c checkup) keys(ctx context.Context) (out []doctor.Finding) {
	for _, name := range []string{c.f.flags.KeyEnv, c.f.cfg.APIKeyEnv} {
		if name != "" && os.Getenv(name) == "" {
			out = append(out, doctor.Finding{ID: "key.variable", Level: doctor.Fail, Text: lang.T("the key is to come from %s, which is empty", name), Fix: lang.T("set it: %s", setting(runtime.GOOS, name))})
			break
		}
	}
	known := map[string]bool{}
	local := false
	for _, u := range c.f.source.Usable(ctx) {
		local = local || u.Endpoint.Local
		if u.Key == "" {
			continue
		}
		known[u.Endpoint.Name] = true
		from := "$" + u.KeyEnv
		if u.KeyEnv == models.KeySetting {
			from = lang.T("the setting %s", models.KeySetting)
		}
		if u.KeyEnv == "" {
			from = lang.T("forge's store")
		}
		f := doctor.Finding{ID: "key." + u.Endpoint.Name, Level: doctor.Ok, Text: lang.T("a key for %s, from %s", u.Endpoint.Name, from)}
		if odd := oddKey(u.Key); odd != "" {
			f.Level, f.Text, f.Fix = doctor.Warn, lang.T("the key for %s, from %s, %s", u.Endpoint.Name, from, odd), lang.T("set it anew, without them")
		}
		out = append(out, f)
	}
	for _, name := range slices.Sorted(slices.Values(c.f.dirs.Secrets().Names())) {
		if _, err := c.f.dirs.Secrets().Get(name); err != nil && !known[name] {
			out = append(out, doctor.Finding{ID: "key." + name, Level: doctor.Warn, Text: lang.T("the stored key for %s cannot be read: %s", name, lang.Said(err.Error())), Fix: lang.T("unlock the keyring, or give the key again: %s", "forge login "+name)})
		}
	}
	switch {
	case len(out) > 0:
	case c.f.flags.Demo:
		out = append(out, doctor.Finding{ID: "key.none", Level: doctor.Ok, Text: lang.T("no key is set; the demo needs none")})
	case local:
		out = append(out, doctor.Finding{ID: "key.none", Level: doctor.Ok, Text: lang.T("no key is set; the model server on this machine needs none")})
	default:
		out = append(out, doctor.Finding{ID: "key.none", Level: doctor.Warn, Text: lang.T("no key is set"), Fix: lang.T("give one with %s, or set it, for example %s", "forge login", setting(runtime.GOOS, "ANTHROPIC_API_KEY"))})
	}
	return out
}

// oddKey says what is strange about a key without telling it; empty: nothing.
func oddKey(key string) string {
	switch {
	case strings.ContainsFunc(key, unicode.IsSpace):
		return lang.T("has blanks or line ends in it")
	case strings.ContainsAny(key, `"'`):
		return lang.T("has quotes in it")
	case strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' }):
		return lang.T("has letters in it that no key has")
	}
	return ""
}

func (c checkup) config(context.Context) (out []doctor.Finding) {
	for _, p := range c.f.cfg.Problems {
		f := doctor.Finding{ID: "config.problem", Level: doctor.Warn, Text: lang.Said(p), Fix: lang.T("mend that line: %s", "forge config edit")}
		if slices.ContainsFunc(c.f.cfg.Unused, func(file string) bool { return strings.HasPrefix(p, file+":") }) {
			f.ID, f.Level = "config.unused", doctor.Fail
		}
		if file := config.ProjectFile(c.root); strings.HasPrefix(p, file) {
			f.Fix = lang.T("mend that line of %s", tilde.Short(file))
		}
		out = append(out, f)
	}
	if wrong := wrongLang(c.f.cfg.Lang); wrong != "" {
		out = append(out, doctor.Finding{ID: "config.problem", Level: doctor.Warn, Text: wrong, Fix: lang.T("mend that line: %s", "forge config edit")})
	}
	if c.f.cfg.Secrets.Guard == "off" {
		out = append(out, doctor.Finding{ID: "config.secrets", Level: doctor.Warn, Text: lang.T("secrets are not hidden from the model: secrets.guard is off"), Fix: lang.T("hide them: %s", "forge config unset secrets.guard")})
	}
	for _, f := range c.places() {
		out = append(out, doctor.Rights(f)...)
	}
	if len(out) > 0 {
		return out
	}
	file := c.f.dirs.File()
	if _, err := os.Stat(file); err != nil {
		return []doctor.Finding{{ID: "config.files", Level: doctor.Ok, Text: lang.T("no settings yet; forge config edit makes %s", tilde.Short(file))}}
	}
	return []doctor.Finding{{ID: "config.files", Level: doctor.Ok, Text: lang.T("the settings are in order: %s", tilde.Short(file))}}
}

func (c checkup) trust(context.Context) []doctor.Finding {
	one := func(l doctor.Level, text, fix string) []doctor.Finding {
		return []doctor.Finding{{ID: "trust.folder", Level: l, Text: text, Fix: fix}}
	}
	files, err := trust.Find(c.root, append(powers(), hookPowers()...))
	if err != nil {
		return one(doctor.Warn, lang.T("what this folder configures cannot be shown, so that none of it counts: %s", lang.Said(err.Error())), lang.T("mend or delete that file"))
	}
	skills, _ := newSkills(c.f.dirs, c.f.cfg, c.root, false).own()
	if files = append(files, skills...); len(files) == 0 {
		return one(doctor.Ok, lang.T("nothing in this folder makes forge do anything"), "")
	}
	changes, err := trust.Open(c.f.dirs.Trust()).Changes(c.root, files)
	if err != nil {
		return one(doctor.Warn, lang.T("what was trusted cannot be read: %s", lang.Said(err.Error())), lang.T("mend or delete %s; forge then asks again", tilde.Short(c.f.dirs.Trust())))
	}
	if len(changes) == 0 {
		return one(doctor.Ok, lang.T("this folder is trusted"), "")
	}
	var names []string
	for _, ch := range changes {
		names = append(names, ch.Path)
	}
	return one(doctor.Warn, lang.T("not trusted, and so not in force: %s", strings.Join(names, ", ")), lang.T("open forge here and answer its question, or start it with --trust-workspace"))
}

// sandbox says what confines commands, what else could, and what is open.
func (c checkup) sandbox(context.Context) []doctor.Finding {
	p := c.policy
	if p == nil {
		var err error
		if p, err = c.f.openSandbox([]string{c.root}, ""); err != nil {
			return append([]doctor.Finding{{ID: "sandbox.form", Level: doctor.Fail, Text: lang.Said(err.Error()), Fix: lang.T("install bubblewrap, or take back that a sandbox is required")}}, trials()...)
		}
		defer func() { logged("sandbox not cleaned up", p.Close()) }()
	}
	var out []doctor.Finding
	switch {
	case p.Active():
		network := lang.T("without the network")
		if p.Network() {
			network = lang.T("with the network")
		}
		out = append(out, doctor.Finding{ID: "sandbox.form", Level: doctor.Ok, Text: lang.T("commands are confined by %s, %s", p.Name(), network)})
	case p.Name() == string(sandbox.Off):
		out = append(out, doctor.Finding{ID: "sandbox.form", Level: doctor.Warn, Text: lang.T("commands are not confined: it is switched off"), Fix: lang.T("switch it on: %s", "forge config unset sandbox")})
	default:
		out = append(out, doctor.Finding{ID: "sandbox.form", Level: doctor.Warn, Text: lang.T("commands are not confined: %s", lang.Said(p.Why())), Fix: sandboxFix(runtime.GOOS)})
	}
	return append(out, trials()...)
}

// setting is how a person sets a variable in the usual shell of a system.
func setting(system, name string) string {
	if system == "windows" {
		return `$env:` + name + ` = "…"`
	}
	return "export " + name + "=…"
}

// sandboxFix is what to do for a sandbox on a system.
func sandboxFix(system string) string {
	switch system {
	case "linux":
		return lang.T("install bubblewrap, or a kernel with Landlock (Linux 6.2)")
	case "windows":
		return lang.T("run forge inside WSL 2, where it confines them, or look at each command before you allow it")
	}
	return lang.T("look at each command before you allow it")
}

// trials tells of each form whether it is there: which one is in force is told above,
// so none of them is a fault.
func trials() (out []doctor.Finding) {
	for _, t := range sandbox.Trials() {
		text := lang.T("%s works here", t.Name)
		if t.Detail != "" {
			text += " (" + lang.Said(t.Detail) + ")"
		}
		if t.Why != "" {
			text = lang.Said(t.Why)
		}
		out = append(out, doctor.Finding{ID: "sandbox." + t.Name, Level: doctor.Ok, Text: text})
	}
	return out
}

// servers says how each MCP server stands, and starts them where none runs yet.
func (c checkup) servers(ctx context.Context) (out []doctor.Finding) {
	s, err := newServers(c.root)
	if err != nil {
		return []doctor.Finding{{ID: "mcp.none", Level: doctor.Warn, Text: lang.Said(err.Error())}}
	}
	all, problems := s.load(c.f.flags)
	for _, p := range problems {
		out = append(out, doctor.Finding{ID: "mcp.problem", Level: doctor.Warn, Text: lang.Said(p), Fix: lang.T("mend that file; forge mcp list tells what is read")})
	}
	if len(all) == 0 && len(out) == 0 {
		return []doctor.Finding{{ID: "mcp.none", Level: doctor.Ok, Text: lang.T("no MCP server is configured")}}
	}
	m := c.mounted
	if m == nil && c.mount && len(all) > 0 {
		o := s.options(all)
		if o.Registry, err = tools.NewRegistry(); err != nil {
			return append(out, doctor.Finding{ID: "mcp.none", Level: doctor.Warn, Text: lang.Said(err.Error())})
		}
		o.StateDir = "" // what a trial says is not worth a log
		m = mcp.Mount(ctx, o)
		defer m.Close()
		m.Wait(ctx, serversWait)
	}
	if m == nil {
		return out
	}
	for _, st := range m.Status() {
		out = append(out, serverFinding(st))
	}
	return out
}

func serverFinding(st mcp.Status) doctor.Finding {
	f := doctor.Finding{ID: "mcp." + st.Name, Level: doctor.Ok, Text: st.Name + lang.T(": ") + lang.Said(string(st.State))}
	if st.Reason != "" {
		f.Text += lang.T(": ") + lang.Said(st.Reason)
	}
	switch st.State {
	case mcp.Ready, mcp.Idle:
		f.Text += ", " + lang.Count(len(st.Tools), "1 tool", "%d tools")
		if len(st.Changes) > 0 {
			f.Level, f.Fix = doctor.Warn, lang.T("some of its tools are held back until you approve them: /mcp")
		}
	case mcp.NeedsLogin:
		f.Level, f.Fix = doctor.Warn, lang.T("log in: %s", "forge mcp login "+st.Name)
	case mcp.Unapproved:
		f.Level, f.Fix = doctor.Warn, lang.T("look at it and approve it: %s", "forge mcp get "+st.Name+", forge mcp approve "+st.Name)
	case mcp.Failed:
		f.Level, f.Fix = doctor.Fail, lang.T("see what it says: %s", "forge mcp test "+st.Name)
	case mcp.Starting:
		f.Level, f.Fix = doctor.Warn, lang.T("it starts slowly; see what it says: %s", "forge mcp test "+st.Name)
	}
	return f
}

// others are the forges that are at work in this folder.
func (c checkup) others(context.Context) []doctor.Finding {
	all, err := session.List(c.f.dirs.Sessions())
	if err != nil {
		return []doctor.Finding{{ID: "forge.others", Level: doctor.Warn, Text: lang.T("the conversations cannot be listed: %s", lang.Said(err.Error())), Fix: lang.T("make it yours: %s", "chmod -R u+rwX "+c.f.dirs.Sessions())}}
	}
	var out []doctor.Finding
	for _, s := range all {
		if s.Cwd == c.root && s.Path != c.session && session.InUse(s.Path) {
			out = append(out, doctor.Finding{ID: "forge.others", Level: doctor.Warn, Text: lang.T("another forge works in this folder: %s", cmp.Or(s.Title, filepath.Base(s.Path))), Fix: lang.T("leave it there, or let one of them work in a git worktree of its own")})
		}
	}
	if os.Getenv("FORGE") != "" {
		out = append(out, doctor.Finding{ID: "forge.inside", Level: doctor.Ok, Text: lang.T("this forge was started by a command of another one")})
	}
	if len(out) == 0 {
		out = append(out, doctor.Finding{ID: "forge.others", Level: doctor.Ok, Text: lang.T("no other forge works in this folder")})
	}
	return out
}
