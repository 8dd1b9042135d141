package ui

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"forge/agent"
	mine "forge/agent/command"
	"forge/ui/cockpit"
	"forge/ui/lang"
)

// files is a folder with commands that a test changes.
type files struct {
	mu    sync.Mutex
	looks int
	fs    fstest.MapFS
	fails error // of the next line
	lines []string
}

func (f *files) put(name, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fs["commands/"+name] = &fstest.MapFile{Data: []byte(text)}
}

func (f *files) look(context.Context) mine.Set {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looks++
	set := (&mine.Shelf{Sources: []mine.Source{{Scope: mine.User, FS: f.fs, Dir: "commands", Show: "~/commands"}}}).Look()
	set.Settle(Taken)
	return set
}

func (f *files) fill(ctx context.Context, line string, say func(string)) (agent.Prompt, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lines = append(f.lines, line)
	if err := f.fails; err != nil {
		f.fails = nil
		return agent.Prompt{}, err
	}
	say("it wants to run: ls")
	return agent.Prompt{Text: "The whole of " + line + "\nsecond line\n" + strings.Repeat("more\n", 30) + "the end", Line: line}, nil
}

func (f *files) options() *FromFiles { return &FromFiles{List: f.look, Fill: f.fill} }

func newFiles() *files { return &files{fs: fstest.MapFS{}} }

// Commands from files are in the menu as they are now, are sent and shown folded, wait
// for the end of a run, and come back where nothing became of them.
func TestCommandsFromFiles(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hold := make(chan struct{})
		a := &fakeAgent{script: func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
			if p.Text == "work" {
				select {
				case <-hold:
				case <-ctx.Done():
				}
			}
			return nil
		}}
		f := newFiles()
		f.put("help.md", "my help")
		f.put("broken.md", "---\nx")
		f.put("b\u202ead.md", "text")
		f.put("inspect.md", "---\ndescription: \"Re\u202eviews\\x1b[31m all\"\nargument-hint: \"[bra\\x07nch]\"\n---\nReview.")
		o := testOptions(a)
		o.FromFiles = f.options()
		s := start(t, o, 80, 24)
		if f.look(t.Context()); f.looks != 1 {
			t.Errorf("the folder was walked %d times before anybody asked", f.looks-1)
		}
		s.send("/")
		s.see("/help is a command of forge; /user:help means this one")
		s.see("~/commands/broken.md:2: ")
		s.see("is no name for a command")
		s.send("insp")
		s.see("/inspect [branch]  yours · Reviews all")
		s.send("\x15/use")
		s.see("yours · my help")
		s.see("/user:inspect [branch]")
		f.put("git/tidy.md", "Tidy.")
		s.send("\x15/gi")
		s.see("/git:tidy  yours · Tidy.") // it came while forge ran
		s.send("\t$1 x\r")
		s.see("› /git:tidy $1 x")
		s.see("sent as 197 B")
		s.see("it wants to run: ls")
		s.gone("The whole of /git:tidy")
		// Known by a beginning, by its long name, and when its file came a moment ago.
		s.send("work\r")
		s.see("starting")
		s.send("/user:inspect main\r")
		s.see("/inspect waits for the end of the run")
		s.send("/fresh\r")
		f.put("later.md", "Later.")
		s.see("no command /fresh")
		s.send("\x15/later one\r")
		s.see("/later waits")
		close(hold)
		s.see("› /inspect main")
		s.see("› /later one")
		f.mu.Lock()
		f.fails = errors.New("you declined")
		f.mu.Unlock()
		s.send("/git:tidy again\r")
		s.see("✗ you declined")
		s.see("› /git:tidy again")
		s.send("\x15/broken\r")
		s.see("› /broken")
		s.send("\x15/git:tydi\r")
		s.see("did you mean /git:tidy?")
		s.send("\x15?")
		s.see("Keys and commands")
		s.send("\x1b[F") // end
		s.see("Commands from files")
		s.see("yours · Reviews all")
		s.send("\x1b")
		s.gone("Commands from files")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if got := strings.Join(f.lines, "|"); got != "/git:tidy $1 x|/inspect main|/later one|/git:tidy again" {
			t.Errorf("filled in %q", got)
		}
	})
}

// A file has the name a server's prompt has: the file is meant, and the prompt keeps the
// long name other agents have for it.
func TestAFileAndAPromptOfOneName(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{script: func(context.Context, agent.Prompt, agent.Sink) error { return nil }}
		f := newFiles()
		f.put("git/tidy.md", "Tidy.")
		o := testOptions(a)
		o.FromFiles = f.options()
		o.Servers = (&fleet{feed: o.Feed, list: []cockpit.Server{{Name: "git", State: cockpit.Ready}}}).options()
		o.Prompts = &Prompts{
			List: func(context.Context) []ServerPrompt {
				return []ServerPrompt{{Server: "git", Name: "tidy", About: "the server's"}, {Server: "git", Name: "log", About: "the server's log"}}
			},
			Fill: func(context.Context, ServerPrompt, map[string]string) (agent.Prompt, error) {
				return agent.Prompt{Text: "from the server", Quoted: true}, nil
			},
		}
		s := start(t, o, 80, 24)
		s.send("/git:")
		s.see("/git:log")
		s.see("yours · Tidy.")
		s.gone("/git:tidy  the server's")
		s.send("\x15/git:tidy\r")
		s.see("sent as")
		s.send("/mcp__git__tidy\r")
		s.see("from the server")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// What was sent for a line stands behind Enter and ctrl+o, now and in a replay; what is
// copied is that.
func TestALineIsShownFolded(t *testing.T) {
	p := agent.Prompt{Line: "/inspect main", Text: "Review main.\nsecond line\nthe end"}
	m := still(t, testOptions(&fakeAgent{}), 60, 20)
	tell(m, agent.UserMessage{Text: p.Text, Line: p.Line})
	has(t, shot(m), "› /inspect main", "sent as 32 B")
	hasNot(t, shot(m), "second line")
	press(m, "ctrl+o")
	has(t, shot(m), "› /inspect main", "second line", "the end")
	if got := matterOf(m.tr.panes[len(m.tr.panes)-1]); got.kind != isPrompted || got.text != p.Text {
		t.Errorf("it is about %q", got.text)
	}
	defer lang.Use(lang.English)
	if err := lang.Use("zh"); err != nil {
		t.Fatal(err)
	}
	m = still(t, testOptions(&fakeAgent{}), 60, 20)
	tell(m, agent.UserMessage{Text: p.Text, Line: p.Line})
	has(t, shot(m), "› /inspect main", "实际发送")
}

// A name of forge's own is never a file's, whatever the face.
func TestTakenNames(t *testing.T) {
	l := &lines{o: testOptions(&fakeAgent{})}
	for _, c := range l.commands() {
		if !Taken(c.Name) {
			t.Errorf("/%s is a command in lines that a file could take", c.Name)
		}
	}
	for _, name := range []string{"help", "clear", "quit", "output", "sent"} {
		if !Taken(name) {
			t.Errorf("/%s could be taken", name)
		}
	}
	if Taken("inspect") || Taken("hel") {
		t.Error("names that are free are taken")
	}
}

// What is wrong with a command is said at the start, before anything is.
func TestProblemsOfCommandsComeFirst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFiles()
		f.put("empty.md", "")
		o := testOptions(&fakeAgent{})
		o.FromFiles = f.options()
		o.Started = func(context.Context) {}
		s := start(t, o, 80, 24)
		s.see("empty.md: there is no text in it")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}
