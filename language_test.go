package main

import (
	"os"
	"path/filepath"
	"testing"

	"forge/ui/lang"
)

// The flag wins over the setting, the setting over the environment.
func TestLanguage(t *testing.T) {
	defer lang.Use(lang.English)
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	write := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, "forge"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "forge", "forge.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args          []string
		setting, LANG string
		want          string
		wrong         bool
	}{
		{nil, `{}`, "", "en", false},
		{nil, `{}`, "zh_CN.UTF-8", "zh", false},
		{nil, `{"lang": "en"}`, "zh_CN.UTF-8", "en", false},
		{nil, "{ // mine\n\"lang\": \"zh\",}", "", "zh", false},
		{nil, `{"lang": "tlh"}`, "zh_CN.UTF-8", "zh", false},
		{nil, `{"lang": 7}`, "", "en", false},
		{[]string{"-p", "x", "--lang", "en"}, `{"lang": "zh"}`, "zh_CN.UTF-8", "en", false},
		{[]string{"--lang=zh"}, `{}`, "", "zh", false},
		{[]string{"--", "--lang=zh"}, `{}`, "", "en", false},
		{[]string{"--lang=tlh"}, `{}`, "", "en", true},
	} {
		lang.Use(lang.English)
		write(c.setting)
		err := speak(c.args, func(name string) string { return map[string]string{"LANG": c.LANG}[name] })
		if got := lang.Tag(); got != c.want || (err != nil) != c.wrong {
			t.Errorf("%q, %s, LANG=%s: %s, %v", c.args, c.setting, c.LANG, got, err)
		}
	}
	if wrongLang("tlh") == "" || wrongLang("zh") != "" || wrongLang("") != "" {
		t.Error("the setting is not looked at")
	}
}
