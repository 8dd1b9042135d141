package builtin

import (
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"forge/tools"
	"forge/tools/sandbox"
	"forge/tools/search"
)

// maxGlob is how many paths one glob gives.
const maxGlob = 200

type globInput struct {
	Pattern string `json:"pattern" description:"*.go at any depth, src/**/*.{ts,tsx}, ./*.md at the top only"`
	Path    string `json:"path,omitempty"`
}

func newGlob(e *Env) tools.Tool {
	return prepared("glob", "Find files by name: up to 200, the newest first. What .gitignore names and build folders are skipped "+
		"unless the pattern begins with their name.",
		func(_ context.Context, in globInput) (*tools.Invocation, error) { return e.prepareGlob(in) })
}

func (e *Env) prepareGlob(in globInput) (*tools.Invocation, error) {
	p, scope, err := e.scope(in.Path)
	if err != nil {
		return nil, err
	}
	if fi, err := e.Workspace.Stat(p); err == nil && !fi.IsDir() {
		return nil, fmt.Errorf("%s is a file; give the folder to look in", p.Name)
	}
	if err := (search.Scope{Include: []string{in.Pattern}}).Check(); err != nil {
		return nil, err
	}
	pattern, err := e.Workspace.Pattern(p, in.Pattern)
	if err != nil {
		return nil, err
	}
	scope.Hide = e.hidden("glob")
	return &tools.Invocation{
		Effect: tools.Effect{
			Kind: tools.Read, Paths: []string{p.Abs},
			Title: fmt.Sprintf("glob %s in %s", tools.Clip(in.Pattern, 80), p.Name),
		},
		Run: func(ctx context.Context, _ tools.Effect, _ io.Writer) (tools.Result, error) {
			found, err := search.Glob(ctx, scope, pattern, maxGlob)
			if err != nil {
				return tools.Result{}, searchFailed(ctx, "glob", p, err)
			}
			return globResult(in, p, found), nil
		},
	}, nil
}

func globResult(in globInput, p sandbox.Path, f search.Found) tools.Result {
	if f.Total == 0 {
		text := fmt.Sprintf("no file matches %s among %s", in.Pattern, amount(f.Stats.Files, "file", "files"))
		if p.Name != "." {
			text += " under " + p.Name
		}
		text += left(f.Stats)
		if strings.Contains(in.Pattern, "/") && !strings.Contains(in.Pattern, "**") {
			text += "\n**/ in front of the pattern finds it at any depth."
		}
		return tools.Result{Text: text, Display: "no files"}
	}
	var b strings.Builder
	for _, name := range f.Paths {
		b.WriteString(shown(path.Join(p.Name, name)) + "\n")
	}
	if more := f.Total - len(f.Paths); more > 0 {
		fmt.Fprintf(&b, "… (%d more; narrow the pattern or give path)\n", more)
	}
	b.WriteString(notRead(f.Stats))
	return tools.Result{Text: b.String(), Display: amount(f.Total, "file", "files")}
}
