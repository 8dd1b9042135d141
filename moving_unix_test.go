//go:build unix

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"

	"forge/agent/session"
	"forge/provider/demo"
)

const movingScript = `pace 100000
loop
when user /write/
call write_file {"path":"new.txt","content":"new\n"}
when result[write_file] /./
text It was written.
when user /wait/
call run_bash {"command":"sleep 600","background":true}
when result[run_bash] /./
text It runs.
when user /linger/
text Lingering now.
pause forever
otherwise
text So it is.
end
`

// moving is two folders, and a model whose requests are kept.
type moving struct {
	a, b, state string
	env         []string

	mu     sync.Mutex
	bodies []string
}

func newMoving(t *testing.T) *moving {
	t.Helper()
	script, err := demo.Parse(strings.NewReader(movingScript))
	if err != nil {
		t.Fatal(err)
	}
	m := &moving{state: t.TempDir()}
	play := demo.Serve(script, demo.Options{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/chat/completions") {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return
			}
			m.mu.Lock()
			m.bodies = append(m.bodies, string(body))
			m.mu.Unlock()
			r.Body = io.NopCloser(strings.NewReader(string(body)))
		}
		play.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m.a, m.b = filepath.Join(root, "first"), filepath.Join(root, "项目")
	filesIn(t, m.a, map[string]string{"AGENTS.md": "Count in threes.", "only-in-a.txt": "a\n"})
	filesIn(t, m.b, map[string]string{"AGENTS.md": "Count in sevens.", "only-in-b.txt": "b\n", ".git/HEAD": "ref: refs/heads/twig\n"})
	m.env = []string{"OPENAI_API_KEY=k", "OPENAI_BASE_URL=" + server.URL + "/v1", "OLLAMA_HOST=127.0.0.1:1",
		"XDG_STATE_HOME=" + m.state, "XDG_CONFIG_HOME=" + t.TempDir()}
	return m
}

func (m *moving) open(t *testing.T, dir string, args ...string) *terminal {
	t.Helper()
	return openTerminal(t, 120, 50, dir, m.env, append([]string{"-m", "openai/scripted", "--mode", "edits"}, args...)...)
}

// requests are those with something said by the person in them; that for a list of models
// is none.
func (m *moving) requests() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.bodies)
}

// TestCd moves a conversation to a folder that would run things if it could, and takes back
// what was changed in both; killed, it goes on there and no longer where it began.
func TestCd(t *testing.T) {
	t.Parallel()
	m := newMoving(t)
	marks := t.TempDir()
	mark := func(name string) string { return filepath.Join(marks, name) }
	filesIn(t, m.b, map[string]string{
		".mcp.json":                     fmt.Sprintf(`{"mcpServers":{"evil":{"command":"sh","args":["-c","touch %s; exec cat"]}}}`, mark("server")),
		".claude/settings.json":         fmt.Sprintf(`{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"touch %s"}]}],"UserPromptSubmit":[{"hooks":[{"type":"command","command":"touch %s"}]}]}}`, mark("start"), mark("prompt")),
		".forge/skills/theirs/SKILL.md": skillText("theirs", "obeys", "Obey."),
		".forge/forge.json":             `{"permissions": {"deny": ["run_bash(ls)"]}}`,
	})
	quiet := func(when string) {
		t.Helper()
		if found, _ := os.ReadDir(marks); len(found) > 0 {
			t.Errorf("%s, the folder has run %s", when, found[0].Name())
		}
	}
	s := m.open(t, m.a)
	s.see("ask for something")
	s.send("write it\r")
	s.see("It was written.")
	s.see("? for keys")
	s.send("/cd\r")
	s.see(m.a + ": where the work is")
	before := len(m.requests())

	s.send("/cd ../项")
	s.see("../项目/") // in the menu
	s.send("\t")
	s.see("/cd ../项目/")
	s.send("\r")
	s.see("this conversation goes on in")
	s.see("Do you trust this folder?")
	quiet("before anybody answered")
	s.answer("Go on without them", "n")
	s.lose("Do you trust this folder?")
	s.send("@only")
	s.see("only-in-b.txt")
	if strings.Contains(s.text(), "only-in-a.txt") {
		t.Errorf("files of the folder that was left are offered:\n%s", s.text())
	}
	s.send("\x15!pwd\r")
	s.see("    " + m.b)
	s.send("/cd\r")
	s.see("git branch twig")
	s.send("/hooks\r")
	s.see("not trusted")
	s.send("\x1b")
	s.lose("not trusted")
	s.send("write again\r")
	deadline(t, "it is written there", func() bool { _, err := os.Stat(filepath.Join(m.b, "new.txt")); return err == nil })
	s.see("? for keys")
	quiet("not trusted")

	// The beginning of what is sent stays what it was, tools included.
	all := m.requests()
	if len(all) <= before {
		t.Fatalf("%d requests", len(all))
	}
	first, then := gjson.Parse(all[before-1]), gjson.Parse(all[before])
	was, now := first.Get("messages").Array(), then.Get("messages").Array()
	for i := range was {
		if was[i].Raw != now[i].Raw {
			t.Errorf("message %d is another:\n%s\n%s", i, was[i].Raw, now[i].Raw)
		}
	}
	if first.Get("tools").Raw != then.Get("tools").Raw {
		t.Error("the tools are others")
	}
	told := ""
	for _, x := range now[len(was):] {
		told += x.Raw
	}
	for _, want := range []string{fmt.Sprintf(movedTo, m.b), "Before, it was " + m.a, "git branch is twig", "Count in sevens."} {
		if !strings.Contains(told, want) {
			t.Errorf("the model is not told %q, but:\n%s", want, told)
		}
	}

	s.send("/diff session\r")
	s.see("diff " + m.a + "/new.txt (new file)")
	s.see("diff new.txt (new file)")
	s.send("q")
	s.send("/undo\r")
	s.answer("will be removed", "y")
	s.see("took back the changes to new.txt")
	if _, err := os.Stat(filepath.Join(m.a, "new.txt")); err != nil {
		t.Error("that of the first folder went, too")
	}

	// Killed, it belongs to the folder it was moved to.
	s.cmd.Process.Kill()
	s.wait()
	s = m.open(t, m.a, "-c")
	s.see("there is no conversation in this folder yet")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	s = m.open(t, m.b, "-c")
	s.see("Do you trust this folder?")
	s.answer("Go on without them", "n")
	s.see("It was written.")
	s.see("? for keys")
	s.send("/undo\r")
	s.answer(m.a+"/new.txt  will be removed", "y")
	s.see("took back the changes to " + m.a)
	if _, err := os.Stat(filepath.Join(m.a, "new.txt")); err == nil {
		t.Error("what was changed before cannot be taken back")
	}
	s.send("and on\r")
	s.see("So it is.")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	all = m.requests()
	last := all[len(all)-1]
	if n := strings.Count(last, fmt.Sprintf(movedTo, m.b)); n != 1 {
		t.Errorf("the model was told %d times", n)
	}
	if sys := gjson.Get(last, "messages.0.content").String(); !strings.Contains(sys, "workspace: "+m.b) || !strings.Contains(sys, "Count in sevens.") || strings.Contains(sys, "threes") {
		t.Errorf("what it begins with is of another folder:\n%s", sys)
	}
	quiet("at the end")

	// Gone on with where it began, the model is told so, and it belongs there again.
	list, err := session.List(filepath.Join(m.state, "forge", "sessions"))
	if err != nil || len(list) != 1 || list[0].Cwd != m.b || list[0].Branch != "twig" {
		t.Fatalf("%+v %v", list, err)
	}
	s = m.open(t, m.a, "-r", list[0].ID)
	s.see("So it is.")
	s.send("once more\r")
	s.see("once more")
	deadline(t, "the model is asked", func() bool { return len(m.requests()) > len(all) })
	s.see("? for keys")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	if all = m.requests(); strings.Count(all[len(all)-1], fmt.Sprintf(movedTo, m.a)) != 1 {
		t.Errorf("the model takes it for elsewhere:\n%s", all[len(all)-1])
	}
	if list, err = session.List(filepath.Join(m.state, "forge", "sessions")); err != nil || list[0].Cwd != m.a {
		t.Errorf("%+v %v", list, err)
	}
}

// A folder that is trusted is in force as at a start, and the one that was left no longer.
func TestCdTrusted(t *testing.T) {
	t.Parallel()
	m := newMoving(t)
	marks := t.TempDir()
	hook := func(event, name string) string {
		return fmt.Sprintf(`{"hooks":{%q:[{"hooks":[{"type":"command","command":"touch %s"}]}]}}`, event, filepath.Join(marks, name))
	}
	there := func(name string) bool { _, err := os.Stat(filepath.Join(marks, name)); return err == nil }
	filesIn(t, m.a, map[string]string{".claude/settings.json": `{"hooks":{"SessionEnd":[{"hooks":[{"type":"command","command":"touch ` + marks + `/left"}]}],"UserPromptSubmit":[{"hooks":[{"type":"command","command":"touch ` + marks + `/a"}]}]}}`,
		".forge/commands/old.md": "Old.", ".forge/skills/gone/SKILL.md": skillText("gone", "goes", "Go.")})
	filesIn(t, m.b, map[string]string{".claude/settings.json": hook("UserPromptSubmit", "b"), ".forge/commands/young.md": "Young.",
		".forge/forge.json": `{"permissions": {"mode": "plan"}}`})
	s := m.open(t, m.a)
	trusted := func() {
		t.Helper()
		s.answer("Do you trust this folder?", "y")
		s.lose("Do you trust this folder?")
		for on := false; !on; { // the answer is in force a moment later
			s.send("/hooks\r")
			s.see("UserPromptSubmit")
			on = strings.Contains(s.text(), "UserPromptSubmit  on")
			s.send("\x1b")
			s.lose("UserPromptSubmit")
		}
	}
	trusted()
	s.send("hello\r")
	s.see("So it is.")
	s.see("? for keys")
	if !there("a") {
		t.Fatal("the first folder's hook did not run")
	}
	if err := os.Remove(filepath.Join(marks, "a")); err != nil {
		t.Fatal(err)
	}
	s.send("/cd " + m.b + "\r")
	trusted()
	s.see("plan") // the folder's own settings may make the mode stricter
	deadline(t, "the hook of the end has run", func() bool { return there("left") })
	s.send("hello again\r")
	deadline(t, "the second folder's hook runs", func() bool { return there("b") })
	s.see("? for keys")
	if there("a") {
		t.Error("the hook of the folder that was left still runs")
	}
	s.send("/youn")
	s.see("project")
	s.send("\x15/old\r")
	s.see("no command /old")
	s.send("\x15/skills\r")
	s.see("no skills")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}

// Where the conversation cannot be moved, it says why and stays.
func TestCdWhereItCannot(t *testing.T) {
	t.Parallel()
	m := newMoving(t)
	s := m.open(t, m.a, "--mode", "auto")
	s.see("ask for something")
	if err := os.Symlink(m.a, filepath.Join(m.b, "back")); err != nil {
		t.Fatal(err)
	}
	for path, why := range map[string]string{
		"only-in-a.txt": "not a folder", "/nowhere/at/all": "no such file or directory",
		".": "is in " + m.a + " already", filepath.Join(m.b, "back"): "already",
	} {
		s.send("/cd " + path + "\r")
		s.see(why)
		s.see("/cd " + path) // to be mended
		s.send("\x15/new\r")
		s.lose(why)
	}
	s.send("linger\r")
	s.see("Lingering now.")
	s.send("/cd " + m.b + "\r") // while a run is on it waits, and comes back when that is stopped
	s.see("/cd waits for the end of the run")
	s.send("/cd\r")
	s.see(m.a + ": where the work is")
	s.send("\x1b")
	s.see("? for keys")
	s.see("› /cd " + m.b)
	s.send("\x15wait\r")
	s.see("It runs.")
	s.send("/cd " + m.b + "\r")
	s.see("a command runs in the background here")
	s.send("\x15/stop\r")
	s.see("1 command in the background was ended")
	s.send("/cd ../项目/back/../项目\r") // as it is written, not as the link leads
	s.see("no such file or directory")
	s.send("\x15!pwd\r")
	s.see("    " + m.a)
	s.send("/cd ../项目\r")
	s.see("goes on in " + m.b)
	// The folder goes away beneath it: another one can still be gone to.
	if err := os.RemoveAll(m.b); err != nil {
		t.Fatal(err)
	}
	s.send("write it\r")
	s.see("? for keys")
	s.send("/cd " + m.a + "\r")
	s.see("goes on in " + m.a)
	s.send("!pwd\r")
	deadline(t, "commands run there", func() bool { return strings.Count(s.text(), "    "+m.a) > 0 })
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}

// Back and forth, nothing stays open of the folders that were left, and the model is told
// of the last one alone. A conversation that is begun then has nothing of the first.
func TestCdBackAndForth(t *testing.T) {
	t.Parallel()
	m := newMoving(t)
	s := m.open(t, m.a)
	s.see("ask for something")
	s.send("write it\r")
	s.see("It was written.")
	open := func() int {
		all, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid))
		return len(all)
	}
	turn := func(dir string) {
		s.send("/cd " + dir + "\r")
		deadline(t, "the conversation is in "+dir, func() bool {
			list, err := session.List(filepath.Join(m.state, "forge", "sessions"))
			return err == nil && len(list) == 1 && list[0].Cwd == dir
		})
	}
	for range 3 {
		turn(m.b)
		turn(m.a)
	}
	few := open()
	for range 10 {
		turn(m.b)
		turn(m.a)
	}
	turn(m.b)
	if runtime.GOOS == "linux" {
		deadline(t, "what was opened is closed", func() bool { return open() <= few+4 })
	}
	s.send("and now\r")
	s.see("So it is.")
	all := m.requests()
	if n := strings.Count(all[len(all)-1], "The user moved this conversation"); n != 1 {
		t.Errorf("the model was told %d times", n)
	}
	s.send("/undo\r")
	s.answer(m.a+"/new.txt  will be removed", "y")
	s.see("took back the changes")
	s.send("/new\r")
	s.lose("took back")
	s.send("begin anew\r")
	s.see("So it is.")
	all = m.requests()
	if last := all[len(all)-1]; strings.Contains(last, m.a) || strings.Contains(last, "threes") || !strings.Contains(last, "sevens") {
		t.Errorf("a new conversation begins with the first folder:\n%s", last)
	}
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}

// By ear, inline and in Chinese it is the same.
func TestCdElsewhere(t *testing.T) {
	t.Parallel()
	for _, face := range []string{"--screen-reader", "--inline"} {
		t.Run(face, func(t *testing.T) {
			t.Parallel()
			m := newMoving(t)
			s := m.open(t, m.a, face, "--lang", "zh")
			s.see("forge")
			s.send("hello\r")
			s.see("So it is.")
			s.send("/cd\r")
			s.see(m.a + "：工作所在")
			s.send("/cd ~/none\r")
			s.see("没有这个文件或目录")
			if face == "--inline" { // there it stands in the prompt again, to be mended
				s.send("\x15")
			}
			s.send("/cd ../项目\r")
			s.see("此对话在 ")
			s.see(" 继续")
			s.send("write it\r")
			deadline(t, "it is written there", func() bool { _, err := os.Stat(filepath.Join(m.b, "new.txt")); return err == nil })
			s.see("It was written.")
			s.send("\x04")
			if err := s.wait(); err != nil {
				t.Error(err)
			}
			list, err := session.List(filepath.Join(m.state, "forge", "sessions"))
			if err != nil || len(list) != 1 || list[0].Cwd != m.b {
				t.Errorf("%+v %v", list, err)
			}
		})
	}
}

// One that is not kept moves as well, with what was changed in it.
func TestCdUnkept(t *testing.T) {
	t.Parallel()
	m := newMoving(t)
	s := m.open(t, m.a, "--no-session")
	s.see("ask for something")
	s.send("write it\r")
	s.see("It was written.")
	s.send("/cd ../项目\r")
	s.see("goes on in " + m.b)
	s.send("and on\r")
	s.see("So it is.")
	all := m.requests()
	if last := all[len(all)-1]; !strings.Contains(last, "write it") || !strings.Contains(last, fmt.Sprintf(movedTo, m.b)) {
		t.Errorf("sent:\n%s", last)
	}
	s.send("/undo\r")
	s.answer(m.a+"/new.txt  will be removed", "y")
	s.see("took back the changes")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	if found, _ := filepath.Glob(filepath.Join(m.state, "forge", "sessions", "*.jsonl")); len(found) > 0 {
		t.Errorf("a record is kept: %q", found)
	}
}
