package lang_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"forge/ui/lang"
)

// callee is which of this package's functions a call is for; at home they stand
// without its name.
func callee(call *ast.CallExpr, home bool) (name string, ok bool) {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return fun.Name, home
	case *ast.SelectorExpr:
		p, ok := fun.X.(*ast.Ident)
		return fun.Sel.Name, ok && p.Name == "lang"
	}
	return "", false
}

// said collects every text that the faces say with T or Count or mark with N.
func said(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	look := func(file string) {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			name, ok := callee(call, f.Name.Name == "lang")
			if !ok || name != "T" && name != "N" && name != "Count" {
				return true
			}
			from, to := 0, 1
			if name == "Count" {
				from, to = 1, 3
			}
			for _, arg := range call.Args[from:to] {
				if lit, ok := arg.(*ast.BasicLit); ok {
					text, err := strconv.Unquote(lit.Value)
					if err != nil {
						t.Fatal(err)
					}
					texts[text] = set.Position(lit.Pos()).String()
				} else if name != "T" && f.Name.Name != "lang" {
					t.Errorf("%s: %s takes a literal, so that it can be found", set.Position(call.Pos()), name)
				}
			}
			return true
		})
	}
	for _, file := range spoken(t, faces...) {
		look(file)
	}
	return texts
}

var verb = regexp.MustCompile(`%(?:\[(\d+)\])?[-+# 0]*\d*(?:\.\d+)?([a-zA-Z%])`)

// verbs lists what a text formats, by the place of the argument.
func verbs(text string) []string {
	var out []string
	next := 1
	for _, m := range verb.FindAllStringSubmatch(text, -1) {
		if m[2] == "%" {
			continue
		}
		if m[1] != "" {
			next, _ = strconv.Atoi(m[1])
		}
		out = append(out, strconv.Itoa(next)+m[2])
		next++
	}
	slices.Sort(out)
	return out
}

// Every text of the faces has a word in every language, which formats the same
// things, and no catalogue holds words that nobody says.
func TestWords(t *testing.T) {
	texts, below, shown := said(t), literalsBelow(t), collect(t)
	for _, tag := range lang.Tags()[1:] {
		words, err := lang.Words(tag)
		if err != nil {
			t.Fatal(err)
		}
		for text, at := range texts {
			switch w, ok := words[text]; {
			case !ok || w == "":
				t.Errorf("%s: %s has no word for %q", at, tag, text)
			case !slices.Equal(verbs(w), verbs(text)):
				t.Errorf("%s: %s formats %q as %q", at, tag, text, w)
			}
		}
		for text, w := range words {
			_, here := texts[text]
			_, there := shown[text]
			if !here && !there && !slices.Contains(systems, text) && !isBelow(below, text) {
				t.Errorf("%s has a word for %q, which nobody says", tag, text)
			}
			if !slices.Equal(verbs(w), verbs(text)) {
				t.Errorf("%s formats %q as %q", tag, text, w)
			}
		}
	}
}

// systems are errors of the system, the standard library and what reads the flags.
var systems = []string{"permission denied", "no such file or directory", "file does not exist", "file exists", "no space left on device", "is a directory",
	"not a directory", "connection refused", "unknown shorthand flag: %s in %s", "strconv.ParseInt: parsing %q: invalid syntax", "strconv.ParseFloat: parsing %q: invalid syntax", "flag needs an argument: %s",
	"invalid argument %q for %q flag: %s", "unknown command %q for %q", "context deadline exceeded", "context canceled"}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{nil, "en"},
		{map[string]string{"LANG": "zh_CN.UTF-8"}, "zh"},
		{map[string]string{"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"},
		{map[string]string{"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_SG"}, "zh"},
		{map[string]string{"LANG": "tlh"}, "en"},
	} {
		if got := lang.Detect(func(k string) string { return c.env[k] }); got != c.want {
			t.Errorf("%v: %s, not %s", c.env, got, c.want)
		}
	}
}

func TestUse(t *testing.T) {
	defer lang.Use(lang.English)
	if err := lang.Use("xx"); err == nil || lang.Tag() != "en" {
		t.Errorf("%v, %s", err, lang.Tag())
	}
	if err := lang.Use("zh"); err != nil || lang.T("a command of your own, run at once") != "你自己的命令，立即执行" || lang.T("no such words %d", 3) != "no such words 3" {
		t.Errorf("%v, %q", err, lang.T("a command of your own, run at once"))
	}
}

// A third language is one more file: it is listed, detected, said and named.
func TestThirdLanguage(t *testing.T) {
	defer lang.Use(lang.English)
	lang.Add(t, map[string]map[string]string{"tlh": {"English": "tlhIngan Hol", "leave forge": "forge yImej"}})
	if got := lang.Tags(); !slices.Equal(got, []string{"en", "tlh", "zh"}) {
		t.Errorf("there are %q", got)
	}
	if tag := lang.Detect(func(string) string { return "tlh_QO.UTF-8" }); tag != "tlh" {
		t.Errorf("detected %s", tag)
	}
	if err := lang.Use("tlh"); err != nil || lang.T("leave forge") != "forge yImej" || lang.T("start a new conversation") != "start a new conversation" {
		t.Errorf("%v, %q", err, lang.T("leave forge"))
	}
	for tag, want := range map[string]string{"en": "English", "zh": "简体中文", "tlh": "tlhIngan Hol", "xx": ""} {
		if got := lang.Name(tag); got != want {
			t.Errorf("%s calls itself %q, not %q", tag, got, want)
		}
	}
}

// No code names a language but English: what there is, the catalogues say.
func TestNoLanguageInTheCode(t *testing.T) {
	byLocale := filepath.Join("..", "..", "ui", "theme", "glyphs.go") // where signs are wide, whatever forge speaks
	err := filepath.WalkDir(filepath.Join("..", ".."), func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata") {
			return cmp.Or(err, fs.SkipDir)
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || file == byLocale {
			return nil
		}
		for _, s := range literals(t, file, nil) {
			for _, tag := range lang.Tags()[1:] {
				if regexp.MustCompile(`\b` + tag + `\b`).MatchString(s) {
					t.Errorf("%s: %q names the language %s: ask lang.Tags or lang.Name", file, s, tag)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What comes from below in English is found again by the entries, read backwards.
func TestSaid(t *testing.T) {
	defer lang.Use(lang.English)
	if err := lang.Use("zh"); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":                             "",
		"nobody says this":             "nobody says this",
		"no MCP server is named \"x\"": "没有名为 \"x\" 的 MCP 服务器",
		"provider k3 is unknown":       "provider k3 is unknown",
		"no list of models from http://a within 2s":         "2s 内未从 http://a 得到模型列表",
		"read stdin: not a folder":                          "读取标准输入：不是目录",
		"x: not a folder":                                   "x：不是目录",
		"model server: no such (HTTP 404, invalid)":         "模型服务：no such（HTTP 404，请求无效）",
		"connection lost (it was closed)":                   "连接丢失（it was closed）",
		"mode ask":                                          "模式 询问",
		"flag needs an argument: --x；forge --help":          "选项缺少参数：--x；forge --help",
		"use it as the other one":                           "use it as the other one",
		"读取 x：not a folder":                                 "读取 x：不是目录",
		"hidden from the model: 2 × GitHub token, password": "已对模型隐藏：2 × GitHub 令牌，密码",
		"password, no entry":                                "password, no entry",
		"git would run programs here: the repository sets filter.x.clean (sub/deep)":      "git 在此会执行程序：仓库设置了 filter.x.clean (sub/deep)",
		"failed: its output is not understood: no decision is \"x\"":                      "失败：无法理解其输出：没有 \"x\" 这种决定",
		"/w/Makefile is there now; /w/x holds something else now":                         "/w/Makefile 现在存在了；/w/x 的内容已改变",
		"a.go: the same lines were edited since, in 2 places":                             "a.go：之后同样的行又被修改过，共 2 处",
		"stdin is longer than ten MB: keep it in a file and name that, forge can read it": "stdin is longer than ten MB: keep it in a file and name that, forge can read it",
	} {
		if got := lang.Said(text); got != want {
			t.Errorf("%q is said as %q, not %q", text, got, want)
		}
	}
	// A command is shown as it was written, whatever the catalogue could make of it.
	for text, want := range map[string]string{
		"run echo read: not a folder":           "运行 echo read: not a folder",
		"run make in the background":            "在后台运行 make",
		"run again outside the sandbox: make x": "在沙箱之外再次运行：make x",
		"grep \"for a: b\" in src":              "在 src 中搜索 \"for a: b\"",
		"list resources":                        "列出资源",
		"files: drop all":                       "files: drop all",
	} {
		if got := lang.Title(text); got != want {
			t.Errorf("%q is titled %q, not %q", text, got, want)
		}
	}
	if got, want := lang.Lines("Careful: it deletes files.\n\n  x: not a folder\n"), "注意：它会删除文件。\n\n  x: not a folder\n"; got != want {
		t.Errorf("said %q, not %q", got, want)
	}
	lang.Use(lang.English)
	if got := lang.Said("read stdin: not a folder"); got != "read stdin: not a folder" {
		t.Error(got)
	}
}

// Each part of an outcome is said by itself: a number of turns is not the begin of one of
// tokens.
func TestOutcomesOfAgentsAreSaid(t *testing.T) {
	if err := lang.Use("zh"); err != nil {
		t.Fatal(err)
	}
	defer lang.Use(lang.English)
	if got, want := lang.Outcome("2 turns, 1 call, 4450 tokens"), "2 轮，1 个调用，4450 token"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
