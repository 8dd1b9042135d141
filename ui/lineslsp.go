package ui

import (
	"context"
	"slices"
	"strings"

	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/safe"
)

// lsp says how the language servers stand, or all of one, and stops or starts one.
func (l *lines) lsp(_ context.Context, arg string, say func(string)) (*linear.Choice, error) {
	ls := l.now().LSP
	if ls == nil {
		say(lang.T(lspOff))
		return nil, nil
	}
	arg = strings.TrimSpace(arg)
	_, err, acted := ls.act(arg)
	if err != nil {
		return nil, err
	}
	all := ls.List()
	if arg != "" && !acted {
		at := slices.IndexFunc(all, func(s LanguageServer) bool { return s.Name == arg })
		if at < 0 {
			say(lang.T("no language server is named %s", safe.Line(arg)))
			return nil, nil
		}
		for _, line := range all[at].lines() {
			say(line)
		}
		return nil, nil
	}
	if len(all) == 0 {
		say(lang.T(lspNone))
		return nil, nil
	}
	for _, s := range all {
		say(s.line())
	}
	say(lang.T("/lsp and a name says all of one; /lsp stop NAME ends it, /lsp start NAME lets it start again"))
	return nil, nil
}
