// The targets that a job of a Prometheus configuration finds, and nothing is asked of them: what `promtool check
// config` and `promtool check service-discovery` do. Debian's promtool knows no Kubernetes.
package main

import (
	"context"
	"encoding/json"
	"log"
	"log/slog"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/discovery"
	_ "github.com/prometheus/prometheus/discovery/kubernetes"
	"github.com/prometheus/prometheus/discovery/targetgroup"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/scrape"
)

const searched = 10 * time.Second

func main() {
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	file, err := config.LoadFile(os.Args[1], false, logger)
	if err != nil {
		log.Fatal(err)
	}
	jobs, err := file.GetScrapeConfigs()
	if err != nil {
		log.Fatal(err)
	}
	for _, job := range jobs {
		if job.JobName == os.Args[2] {
			json.NewEncoder(os.Stdout).Encode(targetsOf(job, logger))
			return
		}
	}
	log.Fatal("no job ", os.Args[2])
}

func targetsOf(job *config.ScrapeConfig, logger *slog.Logger) []map[string]string {
	ctx, stop := context.WithTimeout(context.Background(), searched)
	defer stop()
	found := make(chan []*targetgroup.Group)
	for _, way := range job.ServiceDiscoveryConfigs {
		registry := prometheus.NewRegistry()
		metrics := way.NewDiscovererMetrics(registry, discovery.NewRefreshMetrics(registry))
		if err := metrics.Register(); err != nil {
			log.Fatal(err)
		}
		discoverer, err := way.NewDiscoverer(discovery.DiscovererOptions{Logger: logger, Metrics: metrics})
		if err != nil {
			log.Fatal(err)
		}
		go discoverer.Run(ctx, found)
	}
	// A later group of a source takes the place of the one before.
	groups := map[string]*targetgroup.Group{}
	for {
		select {
		case some := <-found:
			for _, group := range some {
				groups[group.Source] = group
			}
		case <-ctx.Done():
			return kept(job, groups)
		}
	}
}

func kept(job *config.ScrapeConfig, groups map[string]*targetgroup.Group) []map[string]string {
	targets := []map[string]string{}
	for _, group := range groups {
		for _, target := range group.Targets {
			result, err := scrape.PopulateLabels(labels.NewBuilder(labels.EmptyLabels()), job, target, group.Labels)
			if err != nil {
				log.Fatal(err)
			}
			if !result.IsEmpty() {
				targets = append(targets, result.Map())
			}
		}
	}
	return targets
}
