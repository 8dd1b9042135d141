package agent

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"forge/agent/session"
	"forge/compact"
	"forge/tools"
)

func named(fs []MemoryFile) (out []string) {
	for _, f := range fs {
		out = append(out, f.Name)
	}
	return out
}

func TestFindMemory(t *testing.T) {
	home := t.TempDir()
	put(t, home+"/AGENTS.md", "home")
	put(t, home+"/.config/forge/AGENTS.md", "mine")
	put(t, home+"/src/AGENTS.md", "src")
	put(t, home+"/src/repo/.git/HEAD", "ref: refs/heads/main\n")
	put(t, home+"/src/repo/CLAUDE.md", "repo")
	put(t, home+"/src/repo/sub/deep/AGENTS.md", "deep")
	put(t, home+"/src/plain/in/AGENTS.md", "in")
	user := home + "/.config/forge"
	for root, want := range map[string][]string{
		"/src/repo/sub/deep": {"~/.config/forge/AGENTS.md", "../../CLAUDE.md", "AGENTS.md"},
		"/src/repo":          {"~/.config/forge/AGENTS.md", "CLAUDE.md"},
		"/src/plain/in":      {"~/.config/forge/AGENTS.md", "../../AGENTS.md", "AGENTS.md"},
		"/src":               {"~/.config/forge/AGENTS.md", "AGENTS.md"},
	} {
		fs, warnings := FindMemory(Places{Root: home + root, User: user, Home: home})
		if got := named(fs); !reflect.DeepEqual(got, want) || len(warnings) != 0 || !fs[0].User || fs[1].User {
			t.Errorf("%s: %q, warnings %q", root, got, warnings)
		}
	}
	text := SystemPrompt(PromptOptions{Memory: []MemoryFile{{Name: "~/a", Text: "mine", User: true}, {Name: "AGENTS.md", Text: "theirs"}}})
	if i, j := strings.Index(text, "# Instructions of the user"), strings.Index(text, "# Instructions of this project"); i < 0 || j < i ||
		!strings.Contains(text[i:j], "mine") || !strings.Contains(text[j:], "theirs") {
		t.Errorf("system prompt:\n%s", text)
	}
	// Nearer ones are kept where all are too much.
	long := strings.Repeat("words ", maxMemory/6-1)
	put(t, home+"/src/repo/CLAUDE.md", "r"+long)
	put(t, home+"/src/repo/sub/AGENTS.md", "s"+long)
	put(t, home+"/src/repo/sub/deep/AGENTS.md", "d"+long)
	put(t, home+"/.config/forge/AGENTS.md", "m"+long)
	fs, warnings := FindMemory(Places{Root: home + "/src/repo/sub/deep", User: user, Home: home})
	if got := named(fs); len(got) != 3 || got[0] != "../../CLAUDE.md" || len(warnings) != 1 || !strings.Contains(warnings[0], "~/.config/forge/AGENTS.md") {
		t.Errorf("%q, %q", got, warnings)
	}
}

func TestMemoryOfOtherNames(t *testing.T) {
	home := t.TempDir()
	put(t, home+"/.config/AGENTS.md", "every")
	put(t, home+"/.config/CLAUDE.md", "not read")
	put(t, home+"/.config/forge/AGENTS.md", "mine")
	put(t, home+"/repo/.git/HEAD", "ref: refs/heads/main\n")
	put(t, home+"/repo/GEMINI.md", "gemini")
	put(t, home+"/repo/AGENTS.local.md", "not the workspace's")
	put(t, home+"/repo/sub/CLAUDE.md", "shared")
	put(t, home+"/repo/sub/GEMINI.md", "not read")
	put(t, home+"/repo/sub/AGENTS.local.md", "local")
	put(t, home+"/repo/sub/CLAUDE.local.md", "local too")
	put(t, home+"/repo/sub/in/GEMINI.md", "beneath")
	put(t, home+"/repo/sub/in/AGENTS.local.md", "not read")
	fs, warnings := FindMemory(Places{Root: home + "/repo/sub", User: home + "/.config/forge", Every: home + "/.config", Home: home})
	want := []string{"~/.config/AGENTS.md", "~/.config/forge/AGENTS.md", "../GEMINI.md", "CLAUDE.md", "AGENTS.local.md", "CLAUDE.local.md"}
	if got := named(fs); !reflect.DeepEqual(got, want) || len(warnings) != 0 || !fs[0].User || !fs[1].User || fs[2].User || fs[4].User {
		t.Errorf("%q, warnings %q", got, warnings)
	}
	beneath := MemoryBeneath(home+"/repo/sub", []string{home + "/repo/sub/in/a.go"})
	if len(beneath) != 1 || beneath[0].Label != "in/GEMINI.md" {
		t.Errorf("beneath: %+v", beneath)
	}
}

func TestSharedFolders(t *testing.T) {
	for _, c := range []struct {
		system string
		mode   os.FileMode
		home   bool
		want   bool
	}{
		{"linux", 0o755, false, false}, {"linux", 0o777, true, true}, {"darwin", 0o1777, false, true},
		{"windows", 0o777, true, false}, {"windows", 0o777, false, true}, {"windows", 0o555, false, true},
	} {
		if got := shared(c.system, os.ModeDir|c.mode, c.home); got != c.want {
			t.Errorf("%s, %o, in the home folder %v: %v", c.system, c.mode, c.home, got)
		}
	}
}

// What stands in a folder that others may write to is no instruction for a project of
// the person's own.
func TestNoInstructionsFromFoldersOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such folders")
	}
	shared := t.TempDir()
	put(t, shared+"/AGENTS.md", "theirs")
	put(t, shared+"/.git/HEAD", "ref: refs/heads/main\n")
	put(t, shared+"/mine/AGENTS.md", "mine")
	if err := os.Chmod(shared, 0o777); err != nil {
		t.Fatal(err)
	}
	fs, _ := FindMemory(Places{Root: shared + "/mine", Home: "/nowhere"})
	if got := named(fs); len(got) != 1 || fs[0].Text != "mine" {
		t.Errorf("%q", got)
	}
}

func TestMemoryBeneath(t *testing.T) {
	root, out := t.TempDir(), t.TempDir()
	put(t, root+"/AGENTS.md", "root")
	put(t, root+"/a/AGENTS.md", "a")
	put(t, root+"/a/b/CLAUDE.md", "b")
	put(t, root+"/a/b/f.go", "")
	put(t, root+"/vendor/x/AGENTS.md", "vendored")
	put(t, out+"/AGENTS.md", "out")
	if err := os.Symlink(out, root+"/link"); err != nil {
		t.Skip(err)
	}
	got := MemoryBeneath(root, []string{root + "/a/b/f.go", root + "/a/b/new.go", root + "/a", root, root + "/vendor/x/y.go", root + "/link/z", out + "/q"})
	var labels []string
	for _, a := range got {
		labels = append(labels, a.Label)
	}
	if want := []string{"a/AGENTS.md", "a/b/CLAUDE.md"}; !reflect.DeepEqual(labels, want) {
		t.Errorf("%q", labels)
	}
}

// Instructions come with the first touch of their folder, once, also over a restart,
// and leave the beginning of the requests as it was.
func TestInstructionsComeWhenTheirFolderIsTouched(t *testing.T) {
	root := t.TempDir()
	put(t, root+"/sub/AGENTS.md", "say please")
	s, err := session.Create(t.TempDir(), root, "")
	if err != nil {
		t.Fatal(err)
	}
	look := pathTool{filepath.Join(root, "sub", "f.go")}
	reg, err := tools.NewRegistry(look)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{System: "be brief", Exec: &tools.Executor{Tools: reg, Guard: allow{}},
		Beneath: func(paths []string) []Attachment { return MemoryBeneath(root, paths) }}
	m := &model{replies: []reply{asks("look {}"), asks("look {}"), says("done")}}
	o.Provider, o.Session = m, s
	a := New(o)
	var told tape
	if err := a.Run(t.Context(), Prompt{Text: "look twice"}, told.sink); err != nil {
		t.Fatal(err)
	}
	valid(t, a, m)
	count := func() (n int) {
		for _, msg := range a.History() {
			for _, x := range msg.Attached() {
				if x.Label == "sub/AGENTS.md" && x.Text == "say please" {
					n++
				}
			}
		}
		return n
	}
	if count() != 1 || strings.Count(told.String(), "attached") != 1 {
		t.Errorf("%d times; told\n%s", count(), &told)
	}
	for i := 1; i < len(m.requests); i++ {
		before, now := m.requests[i-1], m.requests[i]
		if now.System != before.System || !reflect.DeepEqual(now.Messages[:len(before.Messages)], before.Messages) {
			t.Errorf("request %d does not begin as the one before", i)
		}
	}
	s, rs := reopened(t, s)
	m = &model{replies: []reply{asks("look {}"), says("done")}}
	o.Provider, o.Session = m, nil
	a = New(o)
	a.Resume(s, rs)
	if err := a.Run(t.Context(), Prompt{Text: "and again"}, told.sink); err != nil {
		t.Fatal(err)
	}
	if count() != 1 {
		t.Errorf("%d times after a restart", count())
	}
	if asked := a.Asked(); len(asked) != 2 {
		t.Errorf("%d prompts to go back to", len(asked))
	}
}

// pathTool is a read of one path.
type pathTool struct{ path string }

func (p pathTool) Spec() tools.Spec {
	return tools.Spec{Name: "look", Schema: []byte(`{"type":"object"}`)}
}

func (p pathTool) Prepare(context.Context, tools.Call) (*tools.Invocation, error) {
	return &tools.Invocation{Effect: tools.Effect{Kind: tools.Read, Title: "look", Paths: []string{p.path}},
		Run: func(context.Context, tools.Effect, io.Writer) (tools.Result, error) {
			return tools.Result{Text: "seen"}, nil
		}}, nil
}

// Instructions that the person left out do not come again with the next touch of their
// folder, also in a resumed conversation; other ones do.
func TestInstructionsLeftOutStayOut(t *testing.T) {
	root := t.TempDir()
	long := strings.Repeat("say please and thank you\n", 40)
	put(t, root+"/sub/AGENTS.md", long)
	s, err := session.Create(t.TempDir(), root, "")
	if err != nil {
		t.Fatal(err)
	}
	reg, err := tools.NewRegistry(pathTool{filepath.Join(root, "sub", "f.go")})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{System: "be brief", Exec: &tools.Executor{Tools: reg, Guard: allow{}},
		Beneath: func(paths []string) []Attachment { return MemoryBeneath(root, paths) }}
	touch := func(a *Agent, m *model) (n int) {
		t.Helper()
		m.replies = []reply{asks("look {}"), says("done")}
		if err := a.Run(t.Context(), Prompt{Text: "look"}, nil); err != nil {
			t.Fatal(err)
		}
		for _, msg := range a.History() {
			n += len(msg.Attached())
		}
		return n
	}
	m := &model{}
	o.Provider, o.Session = m, s
	a := New(o)
	if n := touch(a, m); n != 1 {
		t.Fatalf("they came %d times", n)
	}
	if err := a.Drop(item(t, a, compact.ItemAttached, "sub/AGENTS.md").ID); err != nil {
		t.Fatal(err)
	}
	if n := touch(a, m); n != 0 {
		t.Errorf("left out, they came %d times", n)
	}
	s, rs := reopened(t, s)
	m = &model{}
	o.Provider, o.Session = m, nil
	a = New(o)
	a.Resume(s, rs)
	if n := touch(a, m); n != 0 {
		t.Errorf("left out and resumed, they came %d times", n)
	}
	put(t, root+"/sub/AGENTS.md", long+"and mean it\n")
	if n := touch(a, m); n != 1 {
		t.Errorf("changed, they came %d times", n)
	}
}
