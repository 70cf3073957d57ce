package agent

import "fmt"

// DoneTodo is what a list of things to do says was done last, "" if nothing was
// listed.
func DoneTodo(todos []TodoItem) string {
	for i := len(todos) - 1; i >= 0; i-- {
		if todos[i].Status == "completed" {
			return todos[i].Content
		}
	}
	if len(todos) == 0 {
		return ""
	}
	return fmt.Sprintf("Planning: %d todos", len(todos))
}
