// Command orders starts tasks, answers what they ask, and waits for their ends.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"

	"orders/backstep"
)

var ctx = context.Background()

// problemError is an answer that is a problem: its Code says which.
type problemError struct{ backstep.Problem }

func (e problemError) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Detail) }

// ask returns the data of an answer. It asks again after a 429, a 503 or a lost connection, five
// times at most.
func ask[T any](request func() (*http.Response, error)) (data T, err error) {
	for left := 5; ; left-- {
		pause := time.Second
		var answer *http.Response
		if answer, err = request(); err == nil {
			data, err = read[T](answer)
			if err == nil || (answer.StatusCode != 429 && answer.StatusCode != 503) {
				return data, err
			}
			if seconds, e := strconv.Atoi(answer.Header.Get("Retry-After")); e == nil {
				pause = time.Duration(seconds) * time.Second
			}
		}
		if left == 0 {
			return data, err
		}
		time.Sleep(pause)
	}
}

// read decodes the body of an answer: the data, or a problem.
func read[T any](answer *http.Response) (data T, err error) {
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return data, err
	}
	if answer.StatusCode < 300 {
		return data, json.Unmarshal(body, &data)
	}
	var problem problemError
	if json.Unmarshal(body, &problem.Problem) != nil {
		return data, fmt.Errorf("%s: %s", answer.Status, body)
	}
	return data, problem
}

// orders works for one order.
type orders struct {
	client *backstep.Client
	id     string
}

// start starts a task of the order. With the same key it is the same task, however often start is
// called.
func (o orders) start(body backstep.CreateTask, key, wait string) (backstep.CreatedTask, error) {
	key = o.id + "/" + key
	body.Labels = &map[string]string{"order": o.id}
	params := backstep.CreateTaskParams{Wait: &wait, IdempotencyKey: &key}
	return ask[backstep.CreatedTask](func() (*http.Response, error) {
		return o.client.CreateTask(ctx, &params, body)
	})
}

// run starts a task and waits until it has ended, or stands still until a person acts.
func (o orders) run(body backstep.CreateTask, key string) (backstep.CreatedTask, error) {
	for {
		task, err := o.start(body, key, "30s")
		if err != nil {
			return task, err
		}
		switch task.Status {
		case backstep.TaskStatusNotStarted, backstep.TaskStatusRunning, backstep.TaskStatusRollingBack:
		default:
			return task, nil
		}
	}
}

// approvalOf returns the approval that a task waits for, as soon as it waits for one.
func (o orders) approvalOf(taskID string) (backstep.Approval, error) {
	for {
		task, err := ask[backstep.Task](func() (*http.Response, error) {
			return o.client.GetTask(ctx, taskID, nil)
		})
		if err != nil {
			return backstep.Approval{}, err
		}
		if len(task.Approvals) > 0 {
			return task.Approvals[0], nil
		}
		time.Sleep(500 * time.Millisecond)
	}
}

// tasks returns the ids of all tasks of the order, page by page.
func (o orders) tasks() ([]string, error) {
	var ids []string
	limit := 2
	query := backstep.ListTasksParams{Label: &[]string{"order=" + o.id}, Limit: &limit}
	for {
		page, err := ask[backstep.TaskPage](func() (*http.Response, error) {
			return o.client.ListTasks(ctx, &query)
		})
		if err != nil {
			return nil, err
		}
		for _, item := range page.Items {
			task, err := item.AsListedTask()
			if err != nil {
				return nil, err
			}
			ids = append(ids, task.TaskId)
		}
		if page.Page.NextCursor == nil {
			return ids, nil
		}
		query.Cursor = page.Page.NextCursor
	}
}

// choose runs a task with parameters to its end, and reads its journal.
func (o orders) choose() error {
	size := map[string]any{"size": 3}
	chosen, err := o.run(backstep.CreateTask{Flow: "lab-choice", Parameters: &size}, "choice")
	if err != nil {
		return err
	}
	fmt.Printf("lab-choice: %s, output %s\n", chosen.Status, jsonOf(chosen.Output))
	events, err := ask[backstep.Events](func() (*http.Response, error) {
		return o.client.ListEvents(ctx, chosen.TaskId, nil)
	})
	if err != nil {
		return err
	}
	items := events.Items
	fmt.Printf("events: from %s to %s\n", items[0].Kind, items[len(items)-1].Kind)
	return nil
}

// approve starts a task that asks a person, and says yes.
func (o orders) approve() error {
	what := map[string]any{"what": "the price list"}
	draft := backstep.CreateTask{Flow: "lab-approve", Parameters: &what}
	asking, err := o.start(draft, "approve", "0s")
	if err != nil {
		return err
	}
	approval, err := o.approvalOf(asking.TaskId)
	if err != nil {
		return err
	}
	yes := backstep.Judge{Step: approval.Step, Comment: "The prices are right."}
	key := o.id + "/yes"
	params := backstep.ApproveTaskParams{IdempotencyKey: &key}
	_, err = ask[backstep.Task](func() (*http.Response, error) {
		return o.client.ApproveTask(ctx, asking.TaskId, &params, yes)
	})
	if err != nil {
		return err
	}
	ended, err := o.run(draft, "approve")
	fmt.Printf("%s %s\n", approval.Title, ended.Status)
	return err
}

// signal sends what a task waits for. The step may wait for it already, or later.
func (o orders) signal() error {
	waiting := backstep.CreateTask{Flow: "lab-wait"}
	told, err := o.start(waiting, "signal", "0s")
	if err != nil {
		return err
	}
	payload, key := map[string]any{"paid": 12.5}, o.id+"/paid"
	paid := backstep.Signal{Name: "go", Payload: &payload, Key: &key}
	_, err = ask[backstep.Task](func() (*http.Response, error) {
		return o.client.SignalTask(ctx, told.TaskId, nil, paid)
	})
	if err != nil {
		return err
	}
	heard, err := o.run(waiting, "signal")
	fmt.Printf("lab-wait: %s, output %s\n", heard.Status, jsonOf(heard.Output))
	return err
}

// stop starts a task and stops it for good.
func (o orders) stop() error {
	stopped, err := o.start(backstep.CreateTask{Flow: "lab-wait"}, "stop", "0s")
	if err != nil {
		return err
	}
	reason := backstep.Reason{Reason: "The order was cancelled."}
	key := o.id + "/no"
	params := backstep.TerminateTaskParams{IdempotencyKey: &key}
	ended, err := ask[backstep.Task](func() (*http.Response, error) {
		return o.client.TerminateTask(ctx, stopped.TaskId, &params, reason)
	})
	fmt.Printf("lab-wait: %s\n", ended.Status)
	return err
}

// list counts the tasks of the order.
func (o orders) list() error {
	ids, err := o.tasks()
	fmt.Printf("tasks of the order: %d\n", len(ids))
	return err
}

// refuse sends a request that is refused.
func (o orders) refuse() error {
	_, err := o.start(backstep.CreateTask{Flow: "no-such-flow"}, "none", "0s")
	var problem problemError
	if !errors.As(err, &problem) {
		return err
	}
	fmt.Printf("no-such-flow: %s\n", problem.Code)
	return nil
}

func jsonOf(value any) []byte {
	text, _ := json.Marshal(value)
	return text
}

// authenticate gives each request the key, if there is one.
func authenticate(_ context.Context, request *http.Request) error {
	if key := os.Getenv("BACKSTEP_KEY"); key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	return nil
}

func main() {
	url := os.Getenv("BACKSTEP_URL")
	if url == "" {
		url = "http://127.0.0.1:7070"
	}
	client, err := backstep.NewClient(url, backstep.WithRequestEditorFn(authenticate))
	if err != nil {
		log.Fatal(err)
	}
	order := orders{client, rand.Text()}
	acts := []func() error{
		order.choose, order.approve, order.signal, order.stop, order.list, order.refuse,
	}
	for _, act := range acts {
		if err := act(); err != nil {
			log.Fatal(err)
		}
	}
}
