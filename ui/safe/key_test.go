package safe

import "testing"

func TestLikeKey(t *testing.T) {
	for word, want := range map[string]bool{
		"sk-x": true, "hT7pQ2mVx9LkRs4WzYb8Nc3JdF6gA1eU": true, "0123456789abcdef0123456789abcdef": true, "gsk_abcdefghij0123456789": true,
		"AIzaSyA-0123456789abcdefghijklmnopqrstu": true,
		"": false, "anthropic": false, "alibaba-singapore": false, "https://llm.example.org/v1/of/a/long/name": false,
		"llm-2.example.org:8443": false, "a-provider-with-a-long-name": false,
	} {
		if LikeKey(word) != want {
			t.Errorf("%q: %v", word, !want)
		}
	}
}
