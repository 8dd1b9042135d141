package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"forge/agent/config"
	"forge/agent/export"
	"forge/agent/session"
	"forge/provider"
	"forge/tools"
	"forge/tools/secrets"
	"forge/ui"
	"forge/ui/cli"
	"forge/ui/doctor"
	"forge/ui/lang"
)

// issues is where this build's users report what is wrong, "https://host/owner/name/issues",
// set by a release build as release is; empty: nowhere public.
var issues string

// complaint is what a report about forge is made of.
type complaint struct {
	dirs   config.Dirs
	report doctor.Report
	seen   doctor.Terminal
	errors []string // what the screen said went wrong, the oldest first
	model  provider.Model
	keys   []string // every key there is, to be taken out wherever it stands
	veil   tools.Veil
	talk   *export.Talk // nil: it was not asked for
}

// feedback writes a report for the screen.
func (f *forge) feedback(ctx context.Context, w ui.Feedback) (ui.FeedbackFile, error) {
	_, model := f.answering()
	c := complaint{dirs: f.dirs, report: f.doctor(ctx, w.Seen), seen: w.Seen, errors: w.Errors, model: model, keys: f.source.Keys(ctx), veil: f.veil}
	if w.Talk {
		talk, err := f.talk()
		if err != nil {
			return ui.FeedbackFile{}, err
		}
		c.talk = &talk
	}
	return c.write()
}

// report writes one without a screen. The conversation is the one that is named, or
// the last one of the folder.
func report(ctx context.Context, flags cli.Flags, talk bool, id, file string) (path, text, address string, err error) {
	seen := doctor.AskTerminal(os.Stdin, os.Stdout)
	found, err := examineHere(ctx, flags, seen)
	if err != nil {
		return "", "", "", err
	}
	dirs, cfg, err := settings(cmp.Or(flags.Dir, "."))
	if err != nil {
		return "", "", "", err
	}
	s := newSource(flags, cfg, dirs, nil)
	c := complaint{dirs: dirs, report: found, seen: seen, keys: s.Keys(ctx),
		veil: secrets.New(secrets.Options{Allow: expressions(cfg.Secrets.Allow), Extra: expressions(cfg.Secrets.Extra)})}
	if talk {
		sessions, _, here, err := places(flags)
		if err != nil {
			return "", "", "", err
		}
		info, err := session.Latest(sessions, here)
		if id != "" {
			info, err = session.Find(sessions, id)
		}
		if err != nil {
			return "", "", "", err
		}
		t, err := export.Read(info)
		if err != nil {
			return "", "", "", err
		}
		c.talk = &t
	}
	written, err := c.writeTo(file)
	return written.Path, written.Text, written.URL, err
}

func (c complaint) write() (ui.FeedbackFile, error) { return c.writeTo("") }

// writeTo writes the report to a file that nobody else may read; empty: one of
// forge's own naming.
func (c complaint) writeTo(file string) (ui.FeedbackFile, error) {
	text, err := c.text()
	if err != nil {
		return ui.FeedbackFile{}, err
	}
	if file == "" {
		dir := filepath.Join(c.dirs.State, "feedback")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return ui.FeedbackFile{}, fmt.Errorf(lang.T("write the report: %w"), err)
		}
		file = filepath.Join(dir, "forge-feedback-"+time.Now().Format("20060102-150405.000")+".md")
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return ui.FeedbackFile{}, fmt.Errorf(lang.T("write the report: %w"), err)
	}
	_, err = io.WriteString(f, text)
	if err = errors.Join(err, f.Close()); err != nil {
		return ui.FeedbackFile{}, fmt.Errorf(lang.T("write the report: %w"), err)
	}
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
	}
	return ui.FeedbackFile{Path: file, Text: text, URL: c.address()}, nil
}

// Bounds of a report.
const (
	logErrors  = 20        // lines of the log
	logTailEnd = 256 << 10 // bytes of it that are looked through
	addressMax = 6000      // bytes of an address: servers refuse longer ones
)

// text is the report. It is English but for the findings, which are told as the
// person reads them: their IDs are the same in every language.
func (c complaint) text() (string, error) {
	var b strings.Builder
	b.WriteString("# Feedback on forge\n\nWhat did you do, what did you expect, and what happened?\n\n\n\n")
	b.WriteString("## System\n\n" + c.system() + "\n## Findings\n\n")
	for _, f := range c.report.Findings {
		fmt.Fprintf(&b, "- %s %s: %s\n", f.Level, f.ID, f.Text)
	}
	b.WriteString("\n## Last errors\n\n")
	last := append(lastLogged(c.dirs.Log()), c.errors...)
	if len(last) == 0 {
		b.WriteString("none\n")
	}
	for _, e := range last {
		b.WriteString("    " + strings.ReplaceAll(strings.TrimSpace(e), "\n", "\n    ") + "\n")
	}
	if c.talk != nil {
		b.WriteString("\n## Conversation\n\n")
		if err := export.Write(&b, export.Markdown, *c.talk); err != nil {
			return "", err
		}
	}
	return c.masked(b.String()), nil
}

func (c complaint) system() string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "- %s: %s\n", name, value)
		}
	}
	line("forge", version()+", "+runtime.Version()+", "+runtime.GOOS+"/"+runtime.GOARCH)
	if c.model.ID != "" {
		line("model", c.model.Provider+"/"+c.model.ID)
	}
	if c.seen.Shown {
		line("terminal", fmt.Sprintf("%s, %dx%d, %s, keyboard %s, sync %s", cmp.Or(c.seen.Answers.Name, os.Getenv("TERM_PROGRAM"), "unknown"), c.seen.W, c.seen.H, c.seen.Colours, c.seen.Answers.Keyboard, c.seen.Answers.Sync))
	}
	for _, name := range []string{"TERM", "COLORTERM", "NO_COLOR", "LANG", "LC_ALL", "LC_CTYPE", "TERM_PROGRAM_VERSION"} {
		line(name, os.Getenv(name))
	}
	for _, name := range []string{"TMUX", "STY", "WT_SESSION", "SSH_CONNECTION", "WSL_DISTRO_NAME", "FORGE"} {
		if os.Getenv(name) != "" {
			line(name, "set") // its value says where the person is
		}
	}
	return b.String()
}

// masked is a text without secrets and without the person's home folder.
func (c complaint) masked(text string) string {
	for _, key := range c.keys {
		text = strings.ReplaceAll(text, key, "[key removed]")
	}
	veil := c.veil
	if veil == nil { // the guard is off towards the model; a report goes to strangers
		veil = secrets.New(secrets.Options{})
	}
	text, _ = veil.Mask(provider.Redact(text))
	if home, err := os.UserHomeDir(); err == nil && len(home) > 1 {
		text = strings.ReplaceAll(text, home, "~")
	}
	return text
}

// lastLogged are the last warnings and errors of the log.
func lastLogged(file string) (out []string) {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	if over := info.Size() - logTailEnd; over > 0 {
		if _, err := f.Seek(over, io.SeekStart); err != nil {
			return nil
		}
	}
	b, err := io.ReadAll(io.LimitReader(f, logTailEnd))
	if err != nil {
		return nil
	}
	for line := range strings.Lines(strings.ToValidUTF8(string(b), "")) {
		if strings.Contains(line, "level=WARN") || strings.Contains(line, "level=ERROR") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out[max(0, len(out)-logErrors):]
}

// address is where the report can be made known, with what matters filled in; empty
// where this build names no place. The rest of the report is the person's to add: an
// address is kept in places a file is not.
func (c complaint) address() string {
	if issues == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString("What did you do, what did you expect, and what happened?\n\n\n\n" + c.system())
	for _, f := range c.report.Findings {
		if f.Level == doctor.Fail {
			fmt.Fprintf(&b, "- %s %s: %s\n", f.Level, f.ID, f.Text)
		}
	}
	b.WriteString("\n(attach the file that forge wrote, after reading it)\n")
	body := c.masked(b.String())
	for {
		q := url.Values{"title": {"forge: "}, "body": {body}}.Encode()
		if len(issues)+len(q) < addressMax || body == "" {
			return strings.TrimRight(issues, "/") + "/new?" + q
		}
		lines := strings.Split(strings.TrimRight(body, "\n"), "\n")
		body = strings.Join(slices.Delete(lines, len(lines)-1, len(lines)), "\n")
	}
}
