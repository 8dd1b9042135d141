//go:build unix

package mcp

import (
	"encoding/json"
	"strings"
	"testing"
)

// An empty cursor leads to a page like any other, and where a server means by it that
// the list is over, it is.
func TestEmptyCursor(t *testing.T) {
	for name, want := range map[string]string{"a page": "a b c", "the end": "a", "for ever": "a b"} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			s := newWeb(t, false, func(w writer, r *request, m badMsg) bool {
				if m.Method != "tools/list" {
					return false
				}
				asked++
				var p struct {
					Cursor *string `json:"cursor"`
				}
				json.Unmarshal(m.Params, &p)
				tool, next := "a", any("")
				switch {
				case p.Cursor == nil || name == "the end":
				case *p.Cursor != "" && *p.Cursor != "2":
					t.Errorf("asked for %q", *p.Cursor)
				case *p.Cursor == "2":
					tool, next = "c", nil
				case name == "a page":
					tool, next = "b", "2"
				default:
					tool = "b"
				}
				list := map[string]any{"resultType": "complete", "tools": []any{webTool(tool, nil)}, "ttlMs": 0, "cacheScope": "private"}
				if next != nil {
					list["nextCursor"] = next
				}
				webReply(w, m, list)
				return true
			})
			session := dialWeb(t, s, hooks{})
			list, _, err := session.Tools(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, x := range list {
				names = append(names, x.Name)
			}
			if got := strings.Join(names, " "); got != want || asked > 3 {
				t.Errorf("tools %s after %d requests, want %s", got, asked, want)
			}
		})
	}
}
