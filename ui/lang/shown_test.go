package lang_test

import (
	"fmt"
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

// shows is where the texts of a room below are that a person reads: which arguments
// of which functions, which fields, whose results, and whether its errors.
type shows struct {
	room   string         // a folder
	whole  bool           // with those beneath it
	but    []string       // files of it whose texts go to the model, or to a log
	calls  map[string]int // by the function's name the argument, counted from 0
	fields []string       // of structures, where they are made or set
	funcs  []string       // whose results, or those of all where it is "*"
	lists  []string       // variables and functions that are a table: each text in them
	tables bool           // literals that hold a level have a reason at their end
	errors bool
}

// rooms lists what is shown of the rooms below. What only the model reads stands
// in none of them.
var rooms = []shows{
	{room: ".", but: []string{"mentions.go", "undo.go", "serving.go"}, calls: map[string]int{"append": 1, "notice": 0, "Notice": 0, "keep": 0}, errors: true},
	{room: "models", errors: true},
	{room: "agent", but: []string{"call.go", "calls.go", "news.go", "prompt.go"}, errors: true, funcs: []string{"differ", "toolsDiffer", "unreadable"},
		fields: []string{"Question.Title", "Question.Body", "Choice.Label", "Notice"}, calls: map[string]int{"changed": 0, "once": 0, "onceAs": 1, "append": 1, "shorten": 2, "notify": 0}},
	{room: "agent/config", errors: true, lists: []string{"abouts"}, calls: map[string]int{"problem": 1, "append": 1}, funcs: []string{"reason", "mismatch", "suggest"}},
	{room: "agent/budget", errors: true},
	{room: "agent/update", errors: true},
	{room: "agent/eval", errors: true, fields: []string{"Detail"}},
	{room: "agent/export", errors: true},
	{room: "agent/session", but: []string{"view.go"}, errors: true, fields: []string{"readOnly"}},
	{room: "agent/subagent", but: []string{"run.go", "subagent.go"}, errors: true, calls: map[string]int{"append": 1}, fields: []string{"Problems", "Notes"}},
	{room: "agent/skill", but: []string{"told.go", "tool.go"}, errors: true, calls: map[string]int{"append": 1, "note": 0}, fields: []string{"Notes"}},
	{room: "agent/command", errors: true, calls: map[string]int{"append": 1}},
	{room: "agent/frontmatter", errors: true},
	{room: "agent/walk", errors: true},
	{room: "programs", errors: true},
	{room: "plainfile", errors: true},
	{room: "compact", errors: true},
	{room: "ide", errors: true},
	{room: "lsp", but: []string{"report.go"}, errors: true, calls: map[string]int{"set": 1, "stop": 1, "append": 1}, fields: []string{"Note", "why"}, funcs: []string{"fail"}},
	{room: "tools/child", errors: true},
	{room: "mcp", but: []string{"serve.go", "serve_stream.go", "engine_server.go", "conformance.go", "content.go", "find.go", "result.go", "calls.go", "pins.go"}, errors: true,
		calls:  map[string]int{"set": 1, "warn": 0, "append": 1, "Fprintf": 1, "fail": 0, "bark": 0},
		fields: []string{"Question.Title", "Question.Body", "Choice.Label", "Problem", "Why"}, funcs: []string{"approved", "note", "problem", "exit", "why"}},
	{room: "provider", whole: true, but: []string{"normal.go", "raw.go", "sse.go", "message_read.go", "message_json.go", "turns.go", "serve.go"}, errors: true,
		fields: []string{"Hint", "Message", "Notice.Text", "Choice.Why", "note"},
		calls:  map[string]int{"errCut": 0, "silence": 1}, funcs: []string{"hint", "invalidHint", "correct", "lower", "move", "callAsText", "pullHint", "statusText"}},
	{room: "tools/builtin", fields: []string{"Title", "Detail"}},
	{room: "tools/journal", errors: true, fields: []string{"Why"}, calls: map[string]int{"blind": 0, "goBlind": 0, "tellOnce": 1}, funcs: []string{"notKept", "blindness", "missing", "Error"}},
	{room: "tools/permission", but: []string{"arguments.go"}, calls: map[string]int{"risk": 1, "no": 0, "within": 1, "append": 1}, fields: []string{"Reason", "Grant.Text", "Text"}, tables: true, errors: true,
		funcs: []string{"gitUnsafe", "gitKeys", "look", "changedInto", "suspect", "whose", "since", "CheckAllow", "Standings", "beaten", "Way", "names"}},
	{room: "tools/hook", errors: true, calls: map[string]int{"say": 0, "append": 1, "Or": 1}, fields: []string{"problem", "reason", "halt"}, funcs: []string{"outcome", "notes"}},
	{room: "tools/secrets", lists: []string{"kinds"}},
	{room: "tools/picture", errors: true},
	{room: "tools/sandbox", but: []string{"command.go", "process.go", "workspace.go", "workspace_resolve.go", "workspace_write.go", "git.go"}, errors: true, fields: []string{"why", "Why", "Detail"}, funcs: []string{"choose", "Lines", "Told"}},
	{room: "tools/trust", errors: true},
	{room: "ui", whole: true, errors: true, but: []string{"lang.go", "doctor.go"}},
	{room: "agent/search", but: []string{"tool.go"}, errors: true},
}

// texts is what an expression may be, with a verb where it is not known here; none
// is "".
type reader struct {
	consts map[string]ast.Expr   // of the package
	locals map[string][]ast.Expr // of the function
	open   map[string]bool
}

func (r *reader) texts(e ast.Expr) []string {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.texts(e.X)
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			s, _ := strconv.Unquote(e.Value)
			return []string{strings.ReplaceAll(s, "%", "%%")}
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			var out []string
			for _, x := range r.texts(e.X) {
				for _, y := range r.texts(e.Y) {
					out = append(out, x+y)
				}
			}
			return out
		}
	case *ast.CallExpr:
		if name := called(e); (name == "Sprintf" || name == "Errorf") && len(e.Args) > 0 {
			var out []string
			for _, t := range r.texts(e.Args[0]) {
				out = append(out, r.wrapped(strings.ReplaceAll(t, "%%", "%"), e.Args[1:]))
			}
			return out
		} else if name == "New" && len(e.Args) == 1 {
			return r.texts(e.Args[0])
		}
	case *ast.Ident:
		if r.open[e.Name] {
			break
		}
		r.open[e.Name] = true
		defer delete(r.open, e.Name)
		if from, ok := r.locals[e.Name]; ok {
			var out []string
			for _, x := range from {
				for _, t := range r.texts(x) {
					if strings.Trim(t, "%s") != "" {
						out = append(out, t)
					}
				}
			}
			if len(out) > 0 {
				return out
			}
		} else if x, ok := r.consts[e.Name]; ok {
			return r.texts(x)
		}
	}
	return []string{"%s"}
}

// wrapped puts the errors that are known in the place of their verbs.
func (r *reader) wrapped(format string, args []ast.Expr) string {
	n := -1
	return verb.ReplaceAllStringFunc(format, func(v string) string {
		if v == "%%" {
			return v
		}
		if n++; v == "%w" && n < len(args) {
			if t := r.texts(args[n]); len(t) == 1 && !strings.Contains(t[0], "%") {
				return t[0]
			}
		}
		return v
	})
}

func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

var levels = []string{"Low", "Medium", "High", "Critical"}

// shown collects the texts of a file, with where they stand.
func (s shows) shown(set *token.FileSet, f *ast.File, consts map[string]ast.Expr, found func(text, at string)) {
	r := &reader{consts: consts, open: map[string]bool{}}
	take := func(e ast.Expr) {
		for _, t := range r.texts(e) {
			found(t, set.Position(e.Pos()).String())
		}
	}
	each := func(table ast.Node) {
		ast.Inspect(table, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok {
				take(lit)
			}
			return true
		})
	}
	in := ""
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			if slices.Contains(s.lists, n.Names[0].Name) {
				each(n)
			}
		case *ast.FuncDecl:
			in, r.locals = n.Name.Name, locals(n)
			if slices.Contains(s.lists, in) {
				each(n.Body)
			}
		case *ast.CallExpr:
			name := called(n)
			if i, ok := s.calls[name]; ok && i < len(n.Args) {
				if name == "problem" || name == "Fprintf" || name == "say" {
					take(&ast.CallExpr{Fun: &ast.Ident{Name: "Sprintf", NamePos: n.Pos()}, Args: n.Args[i:]})
				} else {
					take(n.Args[i])
				}
			}
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && s.errors {
				if p, ok := sel.X.(*ast.Ident); ok && (p.Name == "fmt" && name == "Errorf" || p.Name == "errors" && name == "New") {
					take(n)
				}
			}
		case *ast.KeyValueExpr:
			if k, ok := n.Key.(*ast.Ident); ok && (slices.Contains(s.fields, k.Name) || s.tables && slices.Contains(levels, k.Name)) {
				take(n.Value)
			}
		case *ast.AssignStmt:
			if len(n.Lhs) == len(n.Rhs) {
				for i, l := range n.Lhs {
					if sel, ok := l.(*ast.SelectorExpr); ok && slices.Contains(s.fields, sel.Sel.Name) {
						take(n.Rhs[i])
					}
				}
			}
		case *ast.CompositeLit:
			of := typeName(n.Type)
			if len(n.Elts) == 1 && slices.Contains(s.fields, of) {
				take(n.Elts[0])
			}
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok && of != "" {
					if k, ok := kv.Key.(*ast.Ident); ok && slices.Contains(s.fields, of+"."+k.Name) {
						take(kv.Value)
					}
				}
			}
			if a, ok := n.Type.(*ast.ArrayType); ok { // its elements leave the type out
				for _, e := range n.Elts {
					if c, ok := e.(*ast.CompositeLit); ok && c.Type == nil {
						c.Type = a.Elt
					}
				}
			}
			if s.tables && len(n.Elts) > 1 && slices.ContainsFunc(n.Elts, func(e ast.Expr) bool {
				id, ok := e.(*ast.Ident)
				return ok && slices.Contains(levels, id.Name)
			}) {
				take(n.Elts[len(n.Elts)-1])
			}
		case *ast.ReturnStmt:
			if id, ok := first(n.Results).(*ast.Ident); ok && s.tables && len(n.Results) == 2 && slices.Contains(levels, id.Name) {
				take(n.Results[1])
			}
			if slices.Contains(s.funcs, in) || slices.Contains(s.funcs, "*") {
				for _, x := range n.Results {
					take(x)
				}
			}
		}
		return true
	})
}

func first(of []ast.Expr) ast.Expr {
	if len(of) == 0 {
		return nil
	}
	return of[0]
}

// locals are what a function gives to its variables.
func locals(f *ast.FuncDecl) map[string][]ast.Expr {
	out := map[string][]ast.Expr{}
	for _, p := range f.Type.Params.List {
		for _, n := range p.Names {
			out[n.Name] = nil
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				id, ok := l.(*ast.Ident)
				if !ok {
					continue
				}
				var x ast.Expr = id
				if len(n.Lhs) == len(n.Rhs) && n.Tok != token.ADD_ASSIGN {
					x = n.Rhs[i]
				}
				out[id.Name] = append(out[id.Name], x)
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if i < len(n.Values) {
					out[id.Name] = append(out[id.Name], n.Values[i])
				}
			}
		}
		return true
	})
	return out
}

// collect reads the rooms: by the text where it stands.
func collect(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, s := range rooms {
		dirs := map[string][]string{}
		err := filepath.WalkDir(filepath.Join("..", "..", s.room), func(file string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && !s.whole && file != filepath.Join("..", "..", s.room) {
				return filepath.SkipDir
			}
			if err == nil && strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") && !strings.Contains(file, "testdata") {
				dirs[filepath.Dir(file)] = append(dirs[filepath.Dir(file)], file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, files := range dirs {
			set, consts := token.NewFileSet(), map[string]ast.Expr{}
			var parsed []*ast.File
			for _, file := range files {
				f, err := parser.ParseFile(set, file, nil, 0)
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range f.Decls {
					g, ok := d.(*ast.GenDecl)
					if !ok {
						continue
					}
					for _, sp := range g.Specs {
						if v, ok := sp.(*ast.ValueSpec); ok {
							for i, n := range v.Names {
								if i < len(v.Values) {
									consts[n.Name] = v.Values[i]
								}
							}
						}
					}
				}
				if !slices.Contains(s.but, filepath.Base(file)) {
					parsed = append(parsed, f)
				}
			}
			for _, f := range parsed {
				s.shown(set, f, consts, func(text, at string) {
					for line := range strings.SplitSeq(text, "\n") {
						if line = strings.TrimSpace(line); prose.MatchString(verb.ReplaceAllString(line, "%")) && !slices.Contains(pieces, line) {
							all[line] = at
						}
					}
				})
			}
		}
	}
	return all
}

// prose is more than one word, pieces those that the faces say with what stands
// before them, or that go to a server or to the model.
var (
	prose  = regexp.MustCompile(`[A-Za-z]{2,}[,;:]? [A-Za-z]{2,}`)
	pieces = []string{"in the background", "run again %s: %s", "event: endpoint", "too much", "[the result is hidden by hook %s]"}
)

var han = regexp.MustCompile(`\p{Han}`)

// two finds two English words side by side, which a text that was said has no more,
// but for forge's commands.
var (
	two  = regexp.MustCompile(`[a-z]{3,} [a-z]{3,}`)
	ours = regexp.MustCompile(`forge [a-z]+( [a-z]+)?`)
)

// sample fills the verbs of a text.
func sample(text string) string {
	n := 0
	return verb.ReplaceAllStringFunc(text, func(v string) string {
		n++
		switch v[len(v)-1] {
		case '%':
			return "%"
		case 'd':
			return strconv.Itoa(10 + n)
		case 'q':
			return fmt.Sprintf("\"Q%d\"", n)
		}
		return fmt.Sprintf("S%d", n)
	})
}

// Every text of the rooms below that a person reads is said in every language. Whether
// one is said is told by a catalogue with the same entries in signs, so that it does not
// matter how a language is written.
func TestNothingBareBelow(t *testing.T) {
	defer lang.Use(lang.English)
	texts := collect(t)
	for _, tag := range lang.Tags()[1:] {
		known, err := lang.Words(tag)
		if err != nil {
			t.Fatal(err)
		}
		signs := map[string]string{}
		for text := range known {
			signs[text] = "字" + strings.Join(verb.FindAllString(text, -1), "字") + "字"
		}
		lang.Add(t, map[string]map[string]string{"signs": signs})
		if err := lang.Use("signs"); err != nil {
			t.Fatal(err)
		}
		for text, at := range texts {
			if known[text] != "" {
				continue
			}
			if got := lang.Said(sample(text)); !han.MatchString(got) || two.MatchString(ours.ReplaceAllString(got, "")) {
				t.Errorf("%s: a person reads %q: give it a word in words/%s.*.json (it is said as %q)", at, text, tag, got)
			}
		}
	}
}
