package agent_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arrows is the floor plan of docs/architecture.md: every package, and all it may
// import of forge. Why the walls stand where they stand: provider and tools are
// two grounds that do not know each other, and only agent joins them; agent knows
// no screen, no policy and no protocol, so each can be replaced; only main and
// models know the settings and the wires, so a new provider is one folder and one line; a
// child of the screen knows no parent.
var arrows = map[string][]string{
	"lazy":      {},
	"plainfile": {},
	"programs":  {},
	"sorting":   {},
	"spell":     {},
	"swap":      {},
	"tilde":     {},

	"provider":           {},
	"provider/sse":       {},
	"provider/openai":    {"provider", "provider/sse"},
	"provider/anthropic": {"provider", "provider/sse"},
	"provider/demo":      {"provider"},
	"provider/catalog":   {"provider", "spell"},

	"tools":            {"spell"},
	"tools/diff":       {},
	"tools/job":        {},
	"tools/sandbox":    {"tools/job"},
	"tools/search":     {},
	"tools/picture":    {},
	"tools/builtin":    {"tools", "tools/diff", "tools/picture", "tools/sandbox", "tools/search"},
	"tools/permission": {"tools", "tools/sandbox"},
	"tools/secrets":    {"tools"},
	"tools/trust":      {},
	"tools/child":      {"tools/job"},
	"tools/journal":    {"tools/diff"},
	"tools/hook":       {"tools", "tools/sandbox"},

	"models": {"agent/config", "provider", "provider/anthropic", "provider/catalog", "provider/openai", "tools/sandbox", "ui/lang"},

	"compact": {"provider"},

	"ide": {},

	"mcp":      {"tools", "tools/child", "tools/picture"},
	"mcp/demo": {"mcp", "tools"},
	"lsp":      {"tools", "tools/child"},

	"agent":             {"agent/budget", "agent/mark", "agent/session", "compact", "provider", "tools"},
	"agent/mark":        {},
	"agent/session":     {"agent/mark", "provider"},
	"agent/budget":      {},
	"agent/config":      {"spell"},
	"agent/loop":        {},
	"agent/trail":       {},
	"agent/update":      {},
	"agent/export":      {"agent/mark", "agent/session", "provider"},
	"agent/search":      {"agent/session", "provider", "tools"},
	"agent/frontmatter": {},
	"agent/walk":        {},
	"agent/command":     {"agent/frontmatter", "agent/walk"},
	"agent/skill":       {"agent/frontmatter", "agent/walk", "tools"},
	"agent/subagent":    {"agent", "agent/frontmatter", "agent/session", "compact", "provider", "tools"},
	"agent/eval":        {},

	"ui/attach":    {},
	"ui/bridge":    {"ide", "ui/lang", "ui/safe"},
	"ui/found":     {"tools", "ui/lang"},
	"ui/graphics":  {"tools/picture"},
	"ui/lang":      {},
	"ui/safe":      {},
	"ui/theme":     {"spell", "ui/lang"},
	"ui/highlight": {"ui/safe", "ui/theme"},
	"ui/markdown":  {"ui/highlight", "ui/safe", "ui/theme"},
	"ui/diffview":  {"tools/diff", "ui/highlight", "ui/lang", "ui/safe", "ui/theme"},
	"ui/keymap":    {"ui/lang"},
	"ui/vim":       {},
	"ui/emoji":     {},
	"ui/spelling":  {"tools/child", "ui/lang"},
	"ui/composer":  {"agent/mark", "ui/keymap", "ui/lang", "ui/safe", "ui/theme", "ui/vim"},
	"ui/dialog": {"tools", "tools/diff", "tools/permission", "ui/composer", "ui/diffview", "ui/keymap", "ui/lang", "ui/markdown",
		"ui/safe", "ui/theme"},
	"ui/clipboard":  {},
	"ui/terminal":   {},
	"ui/tips":       {"ui/keymap"},
	"ui/display":    {},
	"ui/screentest": {},
	"ui/golden":     {},
	"ui/ledger":     {"ui/keymap", "ui/lang", "ui/safe", "ui/theme"},
	"ui/reader":     {"ui/safe", "ui/theme"},
	"ui/doctor":     {"ui/clipboard", "ui/lang", "ui/safe", "ui/terminal", "ui/theme"},
	"ui/linear":     {"agent", "agent/mark", "provider", "tools", "tools/diff", "tools/permission", "ui/found", "ui/lang", "ui/safe"},
	"ui/crew":       {"agent", "provider", "tools", "ui/lang", "ui/ledger", "ui/safe"},
	"ui/cockpit":    {"ui/keymap", "ui/lang", "ui/safe", "ui/theme"},
	"ui": {"agent", "agent/budget", "agent/command", "agent/loop", "agent/mark", "agent/session", "provider", "ide", "spell", "tools", "tools/diff", "tools/permission", "ui/attach", "ui/bridge", "ui/clipboard", "ui/cockpit", "ui/composer", "ui/crew", "ui/dialog",
		"ui/diffview", "ui/display", "ui/doctor", "ui/emoji", "ui/found", "ui/graphics", "ui/keymap", "ui/lang", "ui/ledger", "ui/linear", "ui/markdown", "ui/reader", "ui/safe", "ui/spelling", "ui/terminal", "ui/theme", "ui/tips", "ui/vim"},
	"ui/acp":    {"agent", "provider", "tools", "tools/permission", "ui/found", "ui/lang", "ui/safe"},
	"ui/socket": {"ui/lang"},
	"ui/print":  {"agent", "agent/budget", "provider", "tools", "ui/found", "ui/lang", "ui/safe"},
	"ui/cli": {"agent", "agent/eval", "agent/trail", "agent/budget", "agent/export", "agent/search", "agent/session", "provider", "provider/catalog", "provider/demo", "spell", "tools", "tools/permission",
		"ui/doctor", "ui/lang", "ui/print", "ui/safe", "ui/theme"},
}

// floor is what every package may stand on: it knows Go's own library alone, and
// says nothing of what forge is.
var floor = []string{"lazy", "plainfile", "programs", "sorting", "swap", "tilde"}

// owners are modules that only these packages, and what lies beneath them, may
// import: each is kept behind one door so that it can be replaced.
var owners = map[string][]string{
	"charm.land/catwalk":                     {"provider/catalog"},
	"charm.land/bubbletea":                   {"ui", "main"},
	"charm.land/bubbles":                     {"ui"},
	"github.com/charmbracelet/ultraviolet":   {"ui/display", "ui/screentest"},
	"charm.land/lipgloss":                    {"ui", "main"},
	"charm.land/glamour":                     {}, // with all it imports it cost every start 20 ms
	"text/template":                          {}, // one template, and the program keeps every method of every type: 3 MB
	"html/template":                          {},
	"github.com/modelcontextprotocol/go-sdk": {"mcp"},
	"github.com/coder/websocket":             {"ide"},
	"github.com/zalando/go-keyring":          {"agent/config"},
	"github.com/fsnotify/fsnotify":           {"ui/theme"},
	"github.com/landlock-lsm/go-landlock":    {"tools/sandbox"},
	"mvdan.cc/sh":                            {"tools/permission"},
	"github.com/openai/openai-go":            {}, // the wires are ours
	"github.com/anthropics/anthropic-sdk-go": {},
	"github.com/sashabaranov/go-openai":      {},
	"github.com/charmbracelet/bubbletea":     {}, // the first version, under its old name
	"github.com/charmbracelet/bubbles":       {},
	"github.com/charmbracelet/lipgloss":      {},
	"github.com/charmbracelet/x/exp/teatest": {},
	"github.com/modelcontextprotocol/mcp-go": {},
	"github.com/coder/acp-go-sdk":            {}, // of tests: the editor at the other end
	"github.com/mark3labs/mcp-go":            {},
}

// doors are modules that only these files of their owner may name, tests left out.
// The protocol engine is behind a small interface of ours on either side, so that
// another can take its place: engine_client.go and engine_requests.go are the client's
// half (the connection, and what is asked over it), engine_server.go the server's,
// oauth.go the logins the client's half is given, and the demo server is meant to be
// one that somebody else might have written.
var doors = map[string][]string{
	"github.com/modelcontextprotocol/go-sdk": {"mcp/engine_client.go", "mcp/engine_requests.go", "mcp/engine_server.go", "mcp/oauth.go", "mcp/demo/demo.go", "mcp/demo/offers.go"},
}

// top is what may stand at the top of the repository and hold Go files.
var top = []string{"agent", "compact", "docs", "ide", "lazy", "lsp", "mcp", "models", "plainfile", "programs", "provider", "sorting", "spell", "swap", "tilde", "tools", "ui"}

type pkg struct {
	imports map[string]string   // import path → a file that has it
	files   map[string][]string // import path → all of them
	comment bool
}

// packages reads every Go package below the repository's root, tests left out.
func packages(t *testing.T) map[string]*pkg {
	t.Helper()
	root := ".."
	found := map[string]*pkg{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if file != root && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		if first, _, _ := strings.Cut(dir, "/"); first != "." && !slices.Contains(top, first) {
			t.Errorf("%s: no Go files may stand in %s at the top; see docs/architecture.md", path.Join(dir, name), first)
		}
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		if dir == "." {
			dir = "main"
		}
		p := found[dir]
		if p == nil {
			p = &pkg{imports: map[string]string{}, files: map[string][]string{}}
			found[dir] = p
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		p.comment = p.comment || f.Doc != nil && (dir == "main" || strings.HasPrefix(f.Doc.Text(), "Package "+f.Name.Name+" "))
		for _, i := range f.Imports {
			to, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			p.imports[to] = path.Join(dir, name)
			p.files[to] = append(p.files[to], path.Join(dir, name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestArrows(t *testing.T) {
	found := packages(t)
	if len(found) < 5 {
		t.Fatalf("only %d packages: the walk is broken", len(found))
	}
	for name, p := range found {
		if !p.comment {
			t.Errorf("%s has no package comment that begins with \"Package %s \"", name, path.Base(name))
		}
		allowed, planned := arrows[name]
		if name == "main" {
			continue
		}
		if !planned {
			t.Errorf("%s stands in no line of the floor plan: give it one here and in docs/architecture.md", name)
			continue
		}
		for to, file := range p.imports {
			to, ours := strings.CutPrefix(to, "forge/")
			if ours && !slices.Contains(allowed, to) && !slices.Contains(floor, to) {
				t.Errorf("%s imports %s, but %s may only import %q", file, to, name, allowed)
			}
		}
	}
}

func TestOwnedModules(t *testing.T) {
	for name, p := range packages(t) {
		for to, file := range p.imports {
			for module, by := range owners {
				if to != module && !strings.HasPrefix(to, module+"/") {
					continue
				}
				if !slices.ContainsFunc(by, func(o string) bool { return name == o || strings.HasPrefix(name, o+"/") }) {
					t.Errorf("%s imports %s, which only %q may", file, module, by)
				}
			}
		}
	}
}

func TestDoors(t *testing.T) {
	used := map[string]bool{}
	for _, p := range packages(t) {
		for to, files := range p.files {
			for module, by := range doors {
				if to != module && !strings.HasPrefix(to, module+"/") {
					continue
				}
				for _, file := range files {
					used[file] = true
					if !slices.Contains(by, file) {
						t.Errorf("%s imports %s, which only %q may", file, to, by)
					}
				}
			}
		}
	}
	for module, by := range doors {
		for _, file := range by {
			if !used[file] {
				t.Errorf("%s is a door to %s that nobody goes through: take it out", file, module)
			}
		}
	}
}

// The plan has no cycle and no arrow to a room that has no line.
func TestPlanIsSound(t *testing.T) {
	state := map[string]int{}
	var visit func(string)
	visit = func(name string) {
		switch state[name] {
		case 1:
			t.Errorf("the plan goes in a circle through %s", name)
			return
		case 2:
			return
		}
		state[name] = 1
		for _, to := range arrows[name] {
			if _, ok := arrows[to]; !ok {
				t.Errorf("%s may import %s, which has no line", name, to)
			}
			visit(to)
		}
		state[name] = 2
	}
	for name := range arrows {
		visit(name)
		for _, ground := range []string{"provider", "tools"} { // beneath both is spell, which knows words alone
			leaves := func(to string) bool { return !strings.HasPrefix(to, ground) && to != "spell" }
			if strings.HasPrefix(name, ground) && slices.ContainsFunc(arrows[name], leaves) {
				t.Errorf("%s leaves its ground", name)
			}
		}
	}
	if _, err := os.Stat(filepath.Join("..", "go.mod")); err != nil {
		t.Errorf("the root is not where the tests look: %v", err)
	}
}
