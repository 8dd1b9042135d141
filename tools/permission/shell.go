package permission

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// analyse parses a command line. What it cannot parse is HIGH and cannot be
// granted: "don't know" means ask.
func analyse(line string, _ world) Analysis {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return Analysis{Level: High, Risks: []Risk{{High, "cannot be read as a shell command"}}}
	}
	a := Analysis{Level: Medium, Risks: []Risk{{Medium, "runs a program"}}}
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok {
			var argv []string
			for _, w := range c.Args {
				argv = append(argv, w.Lit())
			}
			a.Parsed = append(a.Parsed, argv)
		}
		return true
	})
	return a
}
