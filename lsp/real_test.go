package lsp

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// scene is what is tried with a real server: a sound file, the same with an error in it,
// and words of that error.
type scene struct {
	name        string
	files       map[string]string // beside it
	file        string
	sound, bent string
	want        string
}

var scenes = []scene{
	{"gopls", map[string]string{"go.mod": "module example.com/a\n\ngo 1.24\n", "b.go": "package a\n\nvar x = f(1)\n"}, "a.go",
		"package a\n\n/* 变量😀 */ func f(n int) int { return n }\n", "package a\n\n/* 变量😀 */ func f(n int) int { return m }\n", "a.go:3:38: undefined: m"},
	{"typescript-language-server", map[string]string{"tsconfig.json": `{"compilerOptions": {"strict": true}, "files": ["a.ts"]}`}, "a.ts",
		"export const 数: number = 1\n", "export const 数: number = 'x'\n", "a.ts:1:14: Type 'string' is not assignable to type 'number'."},
	{"typescript", map[string]string{"tsconfig.json": `{"compilerOptions": {"strict": true}, "files": ["a.ts", "b.ts"]}`, "b.ts": "import { 数 } from './a'\nexport const y: number = 数\n"}, "a.ts",
		"export const 数: number = 1\n", "export const 数: number = 'x'\n", "a.ts:1:14: Type 'string' is not assignable to type 'number'."},
	{"pyright", nil, "a.py", "def f() -> int:\n    return 1\n", "def f() -> int:\n    return '变' + x\n", `a.py:2:18: "x" is not defined`},
}

// Servers as people have them tell a new error of an old one, in the right place, and
// have nothing to say of what is sound. gopls is tried where it is installed, the others
// where FORGE_LSP_NPM names a folder with them.
func TestRealServers(t *testing.T) {
	npm := os.Getenv("FORGE_LSP_NPM")
	for _, c := range scenes {
		t.Run(c.name, func(t *testing.T) {
			var server Server
			for _, s := range known() {
				if s.Name == c.name {
					server = s
				}
			}
			server.WaitMS, server.found = 10_000, false
			if npm != "" && c.name != "gopls" {
				server.Command = filepath.Join(npm, "node_modules", ".bin", server.Command)
			}
			if _, err := exec.LookPath(server.Command); err != nil || npm == "" && c.name != "gopls" {
				t.Skip(c.name + " is not here; FORGE_LSP_NPM names a folder with those of npm")
			}
			if _, err := os.Stat(filepath.Join(npm, "node_modules", "typescript", "lib", "tsserver.js")); err == nil == (c.name == "typescript") && strings.HasPrefix(c.name, "typescript") {
				t.Skip("the TypeScript there has another server")
			}
			if c.name == "typescript-language-server" {
				init, err := json.Marshal(map[string]any{"tsserver": map[string]string{"path": filepath.Join(npm, "node_modules", "typescript", "lib")}})
				if err != nil {
					t.Fatal(err)
				}
				server.Init = init
			}
			b := newBench(t, "", func(o *Options) {
				server.Env = map[string]string{"FORGE_TEST": o.Root}
				o.Servers = []Server{server}
			})
			for name, text := range c.files {
				b.put(name, text)
			}
			b.put(c.file, c.sound)
			if text, found := b.edit(c.file, c.sound+"\n"); found != nil {
				// It may have read the project for longer than an edit waits.
				b.until("it is ready", func() bool { i := b.m.list()[0]; i.mu.Lock(); defer i.mu.Unlock(); return !i.working })
				t.Logf("at first: %q %+v", text, found)
			}
			if text, _ := b.edit(c.file, c.bent); !strings.Contains(text, "1 error new") || !strings.Contains(text, c.want) {
				t.Errorf("bent: %q\nwant %q", text, c.want)
			}
			if text, _ := b.edit(c.file, strings.ReplaceAll(c.bent, "\n", "\r\n")); !strings.Contains(text, "no new errors; 1 as before") {
				t.Errorf("with other line ends: %q", text)
			}
			if text, _ := b.edit(c.file, c.sound); !strings.Contains(text, "1 error gone, none left in what you changed") {
				t.Errorf("sound again: %q", text)
			}
			if c.name == "gopls" {
				if text, _ := b.edit(c.file, "package a\n\nfunc f() {}\n"); !strings.Contains(text, "new in other files") || !strings.Contains(text, "b.go:3:") {
					t.Errorf("what breaks another file: %q", text)
				}
			}
		})
	}
}
