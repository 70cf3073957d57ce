package serve

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"entire/internal/hub/ingest"
)

// metrics are what Prometheus collects.
type metrics struct {
	registry    *prometheus.Registry
	requests    *prometheus.HistogramVec
	syncs       *prometheus.CounterVec
	syncTime    prometheus.Histogram
	checkpoints *prometheus.CounterVec
	last        *prometheus.GaugeVec
	hooks       *prometheus.CounterVec
}

func newMetrics(version string) *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	m.requests = prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "entire_hub_request_seconds", Help: "Time to answer a request.", Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10}}, []string{"part", "status"})
	m.syncs = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "entire_hub_syncs_total", Help: "Readings of repositories, by how they ended."}, []string{"repository", "result"})
	m.syncTime = prometheus.NewHistogram(prometheus.HistogramOpts{Name: "entire_hub_sync_seconds", Help: "Time to read a repository.", Buckets: prometheus.ExponentialBuckets(.05, 3, 9)})
	m.checkpoints = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "entire_hub_checkpoints_total", Help: "Checkpoints whose rows were written or removed."}, []string{"change"})
	m.last = prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "entire_hub_last_sync_timestamp_seconds", Help: "When a repository was read successfully."}, []string{"repository"})
	m.hooks = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "entire_hub_webhooks_total", Help: "Webhooks, accepted or refused."}, []string{"result"})
	info := prometheus.NewGauge(prometheus.GaugeOpts{Name: "entire_hub_info", Help: "The version of the hub.", ConstLabels: prometheus.Labels{"version": version}})
	info.Set(1)
	m.registry.MustRegister(m.requests, m.syncs, m.syncTime, m.checkpoints, m.last, m.hooks, info, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}

// synced counts the reading of a repository.
func (m *metrics) synced(s *ingest.Source, r ingest.Result, took time.Duration, err error) {
	result := "changed"
	switch {
	case errors.Is(err, ingest.ErrBusy):
		result = "busy"
	case err != nil:
		result = "failed"
	case r.Same:
		result = "same"
	}
	m.syncs.WithLabelValues(s.Name, result).Inc()
	m.syncTime.Observe(took.Seconds())
	m.checkpoints.WithLabelValues("written").Add(float64(r.Added))
	m.checkpoints.WithLabelValues("removed").Add(float64(r.Removed))
	if err == nil {
		m.last.WithLabelValues(s.Name).Set(float64(s.Now().Unix()))
	}
}

// answered counts a request.
func (m *metrics) answered(r *http.Request, status int, took time.Duration) {
	m.requests.WithLabelValues(partOf(r.URL.Path), strconv.Itoa(max(status, http.StatusOK))).Observe(took.Seconds())
}

// partOf returns a label with few values for the path of a request, which anybody may invent.
func partOf(path string) string {
	for _, part := range []string{"/api/v1/checkpoints", "/api/v1/repositories", "/api/v1/attribution", "/api/v1/usage", "/api/v1/audit", "/api/", "/hooks/", "/login", "/assets/",
		"/search", "/checkpoint/", "/attribution", "/usage", "/audit", "/healthz", "/readyz", "/metrics"} {
		if strings.HasPrefix(path, part) {
			return part
		}
	}
	if path == "/" {
		return path
	}
	return "other"
}
