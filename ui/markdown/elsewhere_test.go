package markdown

import "testing"

func TestElsewhere(t *testing.T) {
	for _, c := range []struct {
		text, dest string
		want       bool
	}{
		{"github.com", "https://evil.example", true},
		{"see www.bank.example/login now", "https://evil.example/bank.example", true},
		{"http://bank.example", "https://evil.example", true},
		{"bank.example:443", "https://bank.example.evil.example", true},
		{"bank.example@evil.example", "https://evil.example/", false},
		{"银行.中国", "https://evil.example", true},
		{"github.com", "https://www.github.com/x", false},
		{"WWW.GitHub.com/x", "https://github.com/x", false},
		{"the docs", "https://docs.example", false},
		{"main.go", "https://git.example/blob/main.go", false},
		{"v1.2.3", "https://git.example/tag", false},
		{"e.g. this", "https://docs.example", false},
		{"me@home.example", "mailto:me@home.example", false},
		{"you@bank.example", "mailto:me@home.example", true},
	} {
		if got := elsewhere(c.text, c.dest); got != c.want {
			t.Errorf("%q to %q: %v", c.text, c.dest, got)
		}
	}
}
