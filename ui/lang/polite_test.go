package lang_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// In Chinese the person is one and the same in every file.
func TestOneWayToSayYou(t *testing.T) {
	files, err := filepath.Glob("words/zh*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(b), "您"); n > 0 {
			t.Errorf("%s: 您 stands %d times, elsewhere it is 你", file, n)
		}
	}
}
