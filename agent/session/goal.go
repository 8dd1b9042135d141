package session

// Goal is what a person wants reached over runs. The newest record of a conversation
// holds.
type Goal struct {
	Text  string    `json:"text,omitempty"` // empty: there is none any more
	State GoalState `json:"state,omitempty"`
	Why   string    `json:"why,omitempty"` // why it is blocked or rests
}

// GoalState is how a goal stands.
type GoalState string

// The states. What is open is gone on with by itself, the others are not.
const (
	GoalOpen    GoalState = "open"
	GoalMet     GoalState = "met"
	GoalBlocked GoalState = "blocked" // the model cannot go on without the person
	GoalRests   GoalState = "rests"   // forge does not go on by itself
)

// ImportedGoal is why a goal rests that somebody set before the conversation was taken in.
const ImportedGoal = "it was set in a conversation that was taken in"

// LastGoal is the goal of a conversation, the zero value if it has none.
func LastGoal(records []Record) (g Goal) {
	for _, r := range records {
		if r.Goal != nil {
			g = *r.Goal
		}
	}
	return g
}
