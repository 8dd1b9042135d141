package ui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"forge/ui/markdown"
	"forge/ui/reader"
	"forge/ui/safe"
	"forge/ui/theme"
)

// read is the letters and digits of a text.
func read(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// unshown is what of a source has letters and is shown by none: the language of code, the
// mark of what is done.
var unshown = regexp.MustCompile("```[a-z]+|\\[x\\]")

// Whatever rows of an answer are chosen, what is copied is a piece of its source, and
// reads as the rows do: tables, tabs, blanks at ends, lines that were wrapped, code in a
// list, words that stand there many times.
func TestChosenRowsAreTheirSource(t *testing.T) {
	dark, err := theme.Find("", "dark")
	if err != nil {
		t.Fatal(err)
	}
	th := dark.Theme(true, colorprofile.ANSI, theme.Unicode())
	long := strings.Repeat("a long line of words that is wrapped again and again ", 5)
	for name, source := range map[string]string{
		"prose":     "First **bold** and *slanted* words, `code  with blanks` too.\nA second line of it.\n\n" + long + "\n\nThe end.",
		"twice":     "the same\n\nthe same\n\nthe same line the same line the same line the same line the same line the same\n\nthe same",
		"list":      "- one\n- two\n  - two inside, " + long + "\n  - three\n\n    ```go\n    func main() {\n    \tprintln(1)   \n\n    \tprintln(1)\n    }\n    ```\n- last\n",
		"numbers":   "Steps:\n\n3. third\n4. fourth\n   with more below\n5. fifth",
		"tasks":     "- [x] done it\n- [ ] not yet\n- [ ] not yet\n",
		"table":     "Before\n\n| name | value | 名称 |\n|:-----|------:|:--:|\n| a\tb | 1 | 中文 |\n| a | 1 | 中文字 |\n| c d e | 12 | x |\n\nAfter",
		"rows":      "| a | b |\n|---|---|\n| 1 | 1 |\n| 1 | 1 |\n| 1 | 1 |\n",
		"cells":     "| name | about |\n|---|---|\n| one | " + long + " |\n| two | " + long + " |\n",
		"code":      "Look:\n\n```py\ndef f(x):\n\tif x:\n\t\treturn 1   \n\n\treturn 1\n```\n\nand\n\n```\nx\nx\n\n\nx\n```\ndone",
		"wide code": "```\n" + strings.Repeat("0123456789", 20) + "\n" + strings.Repeat("abc def ", 30) + "\nshort\n```",
		"Chinese":   "# 标题\n\n" + strings.Repeat("中文的一个很长的段落，没有空格，会换行。", 8) + "\n\n- 第一项\n- 第二项，`代码`和**粗体**\n\n> 引用\n> 第二行",
		"mixed":     "中文 and English 混排 with `code` 在里面 " + strings.Repeat("字word", 40) + "\n\nend 结束",
		"quote":     "> one\n> two " + long + "\n>\n> - in it\n> - in it\n\nafter",
		"emoji":     "👩‍👩‍👧 family and 🇩🇪 flag, e\u0301 accent\n\n- 👍 good\n- 👍 good",
		"heads":     "# One\n## Two\ntext\n### Two\ntext\n\n---\n\ntext",
		"html":      "a <b>bold</b> word\n\na < b & c > d\n",
	} {
		for _, w := range []int{30, 60, 100} {
			rows := markdown.Render(th, w, source)
			m := reader.Align(source, rows)
			for r, row := range rows { // word by word
				plain, col := ansi.Strip(row), 0
				for part := range strings.SplitAfterSeq(plain, " ") {
					word := strings.TrimSuffix(part, " ")
					if got := m.Text(r, col, r, col+safe.Width(word), false); read(word) != "" && (read(got) != read(word) || !strings.Contains(source, got) || strings.Contains(source, word) && got != word) {
						t.Errorf("%s at %d, row %d: %q is copied as %q of %q", name, w, r, word, got, plain)
					}
					col += safe.Width(part)
				}
			}
			for r0 := range rows {
				for r1 := r0; r1 < len(rows); r1++ {
					if strings.TrimSpace(ansi.Strip(rows[r0])) == "" || strings.TrimSpace(ansi.Strip(rows[r1])) == "" {
						continue
					}
					var shown string
					for _, r := range rows[r0 : r1+1] {
						shown += ansi.Strip(r) + "\n"
					}
					got := m.Text(r0, 0, r1, 1<<20, false)
					if where := fmt.Sprintf("%s at %d, rows %d to %d", name, w, r0, r1); !strings.Contains(source, got) {
						t.Errorf("%s: not in the source: %q", where, got)
					} else if a, b := read(shown), read(unshown.ReplaceAllString(got, "")); a != b && (name != "wide code" || !strings.Contains(b, a)) {
						t.Errorf("%s: shown\n%s\ncopied\n%s", where, shown, got)
					}
				}
			}
		}
	}
}
