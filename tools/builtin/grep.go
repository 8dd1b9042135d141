package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"forge/tools"
	"forge/tools/sandbox"
	"forge/tools/search"
)

const (
	maxGrepLimit   = 1000
	maxGrepContext = 20
)

type grepInput struct {
	Pattern    string `json:"pattern" description:"RE2 regular expression, matched within a line"`
	Path       string `json:"path,omitempty" description:"file or folder"`
	Include    string `json:"include,omitempty" description:"globs of files, with commas, ! leaves out: *.{ts,tsx},!*.test.ts"`
	IgnoreCase bool   `json:"ignore_case,omitempty"`
	Literal    bool   `json:"literal,omitempty"`
	Context    int    `json:"context,omitempty" description:"lines around each match"`
	Mode       string `json:"mode,omitempty" enum:"lines,files,count"`
	Limit      int    `json:"limit,omitempty" description:"default 100 matches"`
}

func newGrep(e *Env) tools.Tool {
	return prepared("grep", "Search the contents of files. Gives matching lines with their numbers, in the order of paths. "+
		"What .gitignore names, build folders and binary files are skipped; name such a folder in path to search it.",
		func(_ context.Context, in grepInput) (*tools.Invocation, error) { return e.prepareGrep(in) })
}

func (e *Env) prepareGrep(in grepInput) (*tools.Invocation, error) {
	q := search.Query{
		Pattern: in.Pattern, Literal: in.Literal, IgnoreCase: in.IgnoreCase, Context: in.Context, Limit: in.Limit,
		Mode: map[string]search.Mode{"files": search.Files, "count": search.Count}[in.Mode],
	}
	switch {
	case in.Limit < 0 || in.Limit > maxGrepLimit:
		return nil, fmt.Errorf("limit is %d, must be 1 to %d", in.Limit, maxGrepLimit)
	case in.Context < 0 || in.Context > maxGrepContext:
		return nil, fmt.Errorf("context is %d, must be 0 to %d; read_file shows more of a file", in.Context, maxGrepContext)
	}
	if err := q.Check(); err != nil {
		return nil, err
	}
	p, scope, err := e.scope(in.Path)
	if err != nil {
		return nil, err
	}
	scope.Include, scope.Exclude = globs(in.Include)
	if scope.Hide = e.hidden("grep", "read_file"); scope.Hide != nil && scope.Hide(p.Abs) {
		return nil, fmt.Errorf("a rule forbids to read %s", p.Name)
	}
	if err := scope.Check(); err != nil {
		return nil, err
	}
	return &tools.Invocation{
		Effect: tools.Effect{
			Kind: tools.Read, Paths: []string{p.Abs},
			Title: fmt.Sprintf("grep \"%s\" in %s", tools.Clip(in.Pattern, 80), p.Name),
		},
		Run: func(ctx context.Context, _ tools.Effect, _ io.Writer) (tools.Result, error) {
			hits, err := search.Grep(ctx, scope, q)
			if err != nil {
				return tools.Result{}, searchFailed(ctx, "grep", p, err)
			}
			return grepResult(in, p, q, hits), nil
		},
	}, nil
}

// scope resolves the place of a search.
func (e *Env) scope(name string) (sandbox.Path, search.Scope, error) {
	p, err := e.Workspace.Resolve(cmp.Or(name, "."))
	if err != nil {
		return p, search.Scope{}, err
	}
	fi, err := e.Workspace.Stat(p)
	switch {
	case errors.Is(err, errNotExist):
		return p, search.Scope{}, e.missing(p)
	case err == nil && !fi.IsDir() && !fi.Mode().IsRegular():
		err = fmt.Errorf("%s is a pipe, a socket or a device; only files and folders are searched", p.Name)
	}
	if err != nil {
		return p, search.Scope{}, err
	}
	return p, search.Scope{Root: p.Abs, Top: topOf(p)}, nil
}

// hidden tells of a path whether a rule keeps it from these tools; nil: none does.
func (e *Env) hidden(tools ...string) func(path string) bool {
	if e.Forbidden == nil {
		return nil
	}
	return e.Forbidden(tools...)
}

// searchFailed says why a search could not be made, in the model's words for the
// place.
func searchFailed(ctx context.Context, tool string, p sandbox.Path, err error) error {
	if ctx.Err() != nil {
		return err
	}
	if cause, ok := strings.CutPrefix(err.Error(), "search "+p.Abs+": "); ok {
		return fmt.Errorf("%s: %s: %s", tool, p.Name, cause)
	}
	return fmt.Errorf("%s: %w", tool, err)
}

// topOf is the workspace folder a path lies in.
func topOf(p sandbox.Path) string {
	if p.Rel == "." {
		return p.Abs
	}
	return filepath.Clean(strings.TrimSuffix(p.Abs, filepath.FromSlash(p.Rel)))
}

// globs splits the include argument: at commas outside braces; "!" in front
// leaves files out.
func globs(s string) (include, exclude []string) {
	depth, from := 0, 0
	add := func(g string) {
		g = strings.TrimSpace(g)
		if rest, ok := strings.CutPrefix(g, "!"); ok {
			exclude = append(exclude, rest)
		} else if g != "" {
			include = append(include, g)
		}
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth <= 0 {
				add(s[from:i])
				from = i + 1
			}
		}
	}
	add(s[min(from, len(s)):])
	return include, exclude
}

func grepResult(in grepInput, p sandbox.Path, q search.Query, h search.Hits) tools.Result {
	if len(h.Files) == 0 {
		return tools.Result{Text: noMatch(in, p, h), Display: "no matches"}
	}
	var b strings.Builder
	summary := amount(h.Matches, "match", "matches") + " in " + amount(h.Matched, "file", "files")
	if q.Mode == search.Files {
		summary = amount(h.Matched, "file", "files")
	}
	display := summary
	if h.More {
		what := map[search.Mode]string{search.Files: "the first " + summary, search.Count: summary + fmt.Sprintf(", the first %d shown", len(h.Files))}
		summary = cmp.Or(what[q.Mode], "the first "+summary) + "; there are more: narrow pattern, path or include, or raise limit"
		if q.Mode != search.Count {
			display = "first " + display
		}
	}
	b.WriteString(summary + "\n")
	for _, f := range h.Files {
		name := shown(path.Join(p.Name, f.Path))
		if h.Single {
			name = shown(p.Name)
		}
		switch q.Mode {
		case search.Files:
			b.WriteString(name + "\n")
		case search.Count:
			fmt.Fprintf(&b, "%s: %d\n", name, f.Count)
		default:
			b.WriteString("\n" + name + "\n")
			for i, l := range f.Lines {
				if i > 0 && l.N != f.Lines[i-1].N+1 && q.Context > 0 {
					b.WriteString("  --\n")
				}
				mark := ":"
				if !l.Match {
					mark = "-"
				}
				fmt.Fprintf(&b, "%5d%s %s\n", l.N, mark, l.Text)
			}
		}
	}
	b.WriteString(notRead(h.Stats))
	return tools.Result{Text: b.String(), Display: display}
}

// notRead says, after what was found, that there may be more.
func notRead(s search.Stats) string {
	if s.Unreadable == 0 {
		return ""
	}
	return "Not searched: " + unreadable(s) + ".\n"
}

func unreadable(s search.Stats) string {
	return amount(s.Unreadable, "unreadable file or folder", "unreadable files and folders")
}

// noMatch says what was searched, what was not, and what might be tried.
func noMatch(in grepInput, p sandbox.Path, h search.Hits) string {
	var b strings.Builder
	fmt.Fprintf(&b, "no match for %q in %s", tools.Clip(in.Pattern, 200), amount(h.Stats.Files, "file", "files"))
	if p.Name != "." {
		b.WriteString(" under " + p.Name)
	}
	if in.Include != "" {
		b.WriteString(" that include takes")
	}
	b.WriteString(left(h.Stats))
	switch {
	case h.Stats.Files == 0 && in.Include != "":
		b.WriteString("\nNo file is named like " + in.Include + "; see glob.")
	case !in.Literal && strings.ContainsAny(in.Pattern, `.()[]{}?*+|^$\`):
		b.WriteString("\nIf the pattern is meant as plain text, set literal.")
	case !in.IgnoreCase && strings.ToLower(in.Pattern) != in.Pattern:
		b.WriteString("\nignore_case finds it in other cases too.")
	}
	return b.String()
}

// left says what a search did not look into.
func left(s search.Stats) string {
	var parts []string
	if s.Ignored > 0 {
		parts = append(parts, amount(s.Ignored, "ignored file or folder", "ignored files and folders"))
	}
	if s.Skipped > 0 {
		parts = append(parts, amount(s.Skipped, "build or package folder", "build or package folders"))
	}
	if s.Binary > 0 {
		parts = append(parts, amount(s.Binary, "binary file", "binary files"))
	}
	if s.Unreadable > 0 {
		parts = append(parts, unreadable(s))
	}
	if len(parts) == 0 {
		return ""
	}
	return "\nNot searched: " + strings.Join(parts, ", ") + "."
}

func amount(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
