{{- /* Lists all faults at once, each as a sentence that says what to do. */ -}}
{{- define "dds.refusals" -}}
{{- $v := .Values -}}
{{- $faults := list -}}
{{- $file := .Files.Get "files/services.json" | fromJson -}}
{{- range $path, $needed := dict
  "image.repository" (list $v.image.repository "the registry path to which you pushed the image, such as registry.example.org/domain-data-service")
  "hosts.api" (list $v.hosts.api "the public host name of the API, such as api.example.org")
  "hosts.dashboard" (list $v.hosts.dashboard "the public host name of the dashboard, such as app.example.org")
  "secrets.name" (list $v.secrets.name "the Secret with the files that `cli secrets` creates")
  "mail.from" (list $v.mail.from "the sender of every e-mail, such as Example <no-reply@example.org>")
-}}
{{- if not (index $needed 0) -}}
{{- $faults = append $faults (printf "%s is empty: set it to %s." $path (index $needed 1)) -}}
{{- end -}}
{{- end -}}
{{- if not (has $v.bindAddress (list "0.0.0.0" "::")) -}}
{{- $faults = append $faults (printf "bindAddress is %q: write 0.0.0.0, or :: in a cluster with IPv6." $v.bindAddress) -}}
{{- end -}}
{{- $keys := list "database_admin_url" "database_role_secret" "valkey_password" "cli_kafka_sasl_password" "cli_service_secret" -}}
{{- range $file.services -}}
{{- $keys = concat $keys (list (printf "%s_database_admin_url" .name)) -}}
{{- range .secrets }}{{ $keys = append $keys .file }}{{ end -}}
{{- end -}}
{{- range $key, $_ := $v.secrets.items -}}
{{- if not (has $key $keys) -}}
{{- $faults = append $faults (printf "secrets.items.%s is not a known secret." $key) -}}
{{- end -}}
{{- end -}}
{{- range $name := list $v.fullnameOverride $v.nameOverride $v.namespaceOverride -}}
{{- if and $name (not (regexMatch "^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$" $name)) -}}
{{- $faults = append $faults (printf "%q is not a valid name in Kubernetes: write at most 40 lower case letters, digits and hyphens, beginning with a letter." $name) -}}
{{- end -}}
{{- end -}}
{{- if eq $v.image.tag "latest" -}}
{{- $faults = append $faults "image.tag is latest, which is not a version: set it to a version." -}}
{{- end -}}
{{- if and $v.hosts.api (eq $v.hosts.api $v.hosts.dashboard) -}}
{{- $faults = append $faults "hosts.api and hosts.dashboard are the same: give each its own host name." -}}
{{- end -}}
{{- if and $v.hosts.callbacks (eq $v.hosts.callbacks $v.hosts.api) -}}
{{- $faults = append $faults "hosts.callbacks is the host name of the API: leave it empty, or give it its own host name." -}}
{{- end -}}
{{- $faults = concat $faults (include "dds.backingRefusals" . | fromJson).faults -}}
{{- $faults = concat $faults (include "dds.backupRefusals" . | fromJson).faults -}}
{{- $faults = concat $faults (include "dds.formRefusals" . | fromJson).faults -}}
{{- $faults = concat $faults (include "dds.connectionRefusals" . | fromJson).faults -}}
{{- range $path, $resources := dict "migration" $v.migration.resources "cli" $v.cli.resources "valkey.instance" $v.valkey.instance.resources "postgresql.cluster" $v.postgresql.cluster.resources "kafka.strimzi" $v.kafka.strimzi.resources -}}
{{- $faults = concat $faults (include "dds.resourceRefusals" (dict "path" $path "resources" $resources "byCpu" false) | fromJson).faults -}}
{{- end -}}
{{- $faults = concat $faults (include "dds.routeRefusals" . | fromJson).faults -}}
{{- range $name, $_ := $v.services -}}
{{- $names := list -}}
{{- range $file.services }}{{ $names = append $names .name }}{{ end -}}
{{- if not (has $name $names) -}}
{{- $faults = append $faults (printf "services.%s is not a service: the services are %s." $name (join ", " $names)) -}}
{{- end -}}
{{- end -}}
{{- $urls := list -}}
{{- range $file.services }}{{ $urls = append $urls .urlSetting }}{{ end -}}
{{- $all := list -}}
{{- $secret := list -}}
{{- range $known := $file.services -}}
{{- $is := mergeOverwrite (deepCopy $v.defaults) (deepCopy (get $v.services .name | default dict)) -}}
{{- $all = concat $all .settings -}}
{{- range .secrets }}{{ $secret = append $secret .env }}{{ end -}}
{{- $given := dict "root" $ "known" . "is" $is "partitions" $file.partitions "urls" $urls -}}
{{- $faults = concat $faults (include "dds.serviceRefusals" $given | fromJson).faults -}}
{{- $byCpu := or $is.autoscaling.enabled $is.keda.enabled -}}
{{- $resources := dict "path" (printf "services.%s" .name) "resources" $is.resources "byCpu" $byCpu -}}
{{- $faults = concat $faults (include "dds.resourceRefusals" $resources | fromJson).faults (include "dds.volumeRefusals" $given | fromJson).faults -}}
{{- end -}}
{{- range $env, $_ := $v.settings -}}
{{- if has $env $secret -}}
{{- $faults = append $faults (printf "settings.%s is a secret: put it into the Secret, as the key %s." $env (lower $env)) -}}
{{- else if not (has $env $all) -}}
{{- $faults = append $faults (printf "no service reads settings.%s: docs/configuration.md lists the settings." $env) -}}
{{- end -}}
{{- end -}}
{{- if $faults -}}
{{- fail (printf "\n- %s\n" (join "\n- " (uniq $faults))) -}}
{{- end -}}
{{- end -}}

{{- define "dds.backingRefusals" -}}
{{- $v := .Values -}}
{{- $faults := list -}}
{{- if and $v.kafka.strimzi.enabled $v.kafka.brokers -}}
{{- $faults = append $faults "kafka.brokers and kafka.strimzi.enabled contradict each other: keep the one that applies." -}}
{{- end -}}
{{- if not (or $v.kafka.strimzi.enabled $v.kafka.brokers) -}}
{{- $faults = append $faults "kafka.brokers is empty: name brokers as host:port, or set kafka.strimzi.enabled." -}}
{{- end -}}
{{- if and $v.kafka.strimzi.enabled (gt (int $v.kafka.topicReplication) (int $v.kafka.strimzi.replicas)) -}}
{{- $faults = append $faults "kafka.topicReplication is greater than kafka.strimzi.replicas: each broker stores only one copy." -}}
{{- end -}}
{{- if and $v.kafka.strimzi.enabled (or $v.kafka.ca.secret $v.kafka.prefix) -}}
{{- $faults = append $faults "kafka.ca.secret and kafka.prefix are for an existing broker: leave them empty with kafka.strimzi.enabled." -}}
{{- end -}}
{{- if and $v.kafka.strimzi.enabled (ne $v.kafka.saslMechanism "scram-sha-512") -}}
{{- $faults = append $faults "kafka.saslMechanism is for an existing broker: kafka.strimzi uses scram-sha-512." -}}
{{- end -}}
{{- if and $v.kafka.ca.secret (not $v.kafka.tls) -}}
{{- $faults = append $faults "kafka.ca.secret has no effect without kafka.tls: set kafka.tls, or leave kafka.ca.secret empty." -}}
{{- end -}}
{{- if and (eq $v.internalTls.by "secrets") (not $v.internalTls.secretPrefix) -}}
{{- $faults = append $faults "internalTls.secretPrefix is empty: set it to the prefix before the service name in the names of the Secrets, such as dds-tls-." -}}
{{- end -}}
{{- if and (ne $v.internalTls.by "secrets") $v.internalTls.secretPrefix -}}
{{- $faults = append $faults "internalTls.secretPrefix has no effect unless internalTls.by is secrets: set that, or leave the prefix empty." -}}
{{- end -}}
{{- if and $v.valkey.instance.enabled (or (not $v.valkey.fromSecret) $v.valkey.ca.secret (ne (int $v.valkey.port) 6379)) -}}
{{- $faults = append $faults "valkey.instance.enabled needs valkey.fromSecret, port 6379 and no valkey.ca.secret: the keys valkey_password and valkey_url must both contain its password." -}}
{{- end -}}
{{- if and $v.postgresql.cluster.enabled (not $v.postgresql.cluster.superuserSecret) -}}
{{- $faults = append $faults "postgresql.cluster.superuserSecret is empty: name a Secret of type kubernetes.io/basic-auth with the superuser's password." -}}
{{- end -}}
{{- if and $v.postgresql.cluster.enabled $v.postgresql.ca.secret -}}
{{- $faults = append $faults "postgresql.ca.secret and postgresql.cluster.enabled contradict each other: the cluster has its own certificate authority." -}}
{{- end -}}
{{- if and $v.valkey.url $v.valkey.fromSecret -}}
{{- $faults = append $faults "valkey.url and valkey.fromSecret contradict each other: keep the one that applies." -}}
{{- end -}}
{{- if and $v.valkey.ca.secret (not (or $v.valkey.url $v.valkey.fromSecret)) -}}
{{- $faults = append $faults "valkey.ca.secret has no effect without valkey.url or valkey.fromSecret." -}}
{{- end -}}
{{- dict "faults" $faults | toJson -}}
{{- end -}}

{{- define "dds.backupRefusals" -}}
{{- $faults := list -}}
{{- $cluster := .Values.postgresql.cluster -}}
{{- with $cluster.backup -}}
{{- if and .enabled (not $cluster.enabled) -}}
{{- $faults = append $faults "postgresql.cluster.backup is on without postgresql.cluster.enabled: back up an existing PostgreSQL with its own tools, and turn this off." -}}
{{- end -}}
{{- if and .enabled (not (regexMatch "^s3://[^/ ]+(/[^ ]*)?$" .destination)) -}}
{{- $faults = append $faults (printf "postgresql.cluster.backup.destination is %q: set it to the place for the backups, such as s3://bucket/dds." .destination) -}}
{{- end -}}
{{- if and .endpoint (not (regexMatch "^https?://[^/ ]+/?$" .endpoint)) -}}
{{- $faults = append $faults (printf "postgresql.cluster.backup.endpoint is %q: write it as https://s3.example.org, or leave it empty for Amazon S3." .endpoint) -}}
{{- end -}}
{{- if not (regexMatch "^[1-9][0-9]*[dwm]$" .retention) -}}
{{- $faults = append $faults (printf "postgresql.cluster.backup.retention is %q: write days, weeks or months, such as 30d." .retention) -}}
{{- end -}}
{{- if ne (len (splitList " " .schedule)) 6 -}}
{{- $faults = append $faults (printf "postgresql.cluster.backup.schedule is %q: CloudNativePG expects six fields, beginning with the seconds, such as 0 30 2 * * *." .schedule) -}}
{{- end -}}
{{- $own := .server | default (printf "%s-postgres" (include "dds.fullname" $)) -}}
{{- if and $cluster.recovery.server (not .enabled) -}}
{{- $faults = append $faults "postgresql.cluster.recovery.server needs postgresql.cluster.backup, which says where the backups are." -}}
{{- else if and $cluster.recovery.server (eq $cluster.recovery.server $own) -}}
{{- $faults = append $faults (printf "postgresql.cluster.backup.server is %s, from which the cluster is restored: name a new folder; otherwise, CloudNativePG refuses to archive." $own) -}}
{{- end -}}
{{- end -}}
{{- with $cluster.recovery -}}
{{- if and .until (not .server) -}}
{{- $faults = append $faults "postgresql.cluster.recovery.until has no effect without postgresql.cluster.recovery.server: set the server, or leave until empty." -}}
{{- end -}}
{{- if and .until (not (regexMatch "^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+(Z|[+-][0-9:]+)$" .until)) -}}
{{- $faults = append $faults (printf "postgresql.cluster.recovery.until is %q: write a time with its time zone, such as 2026-11-23T10:00:00Z." .until) -}}
{{- end -}}
{{- end -}}
{{- dict "faults" $faults | toJson -}}
{{- end -}}

{{- define "dds.routeRefusals" -}}
{{- $v := .Values -}}
{{- $faults := list -}}
{{- $hasRoute := or $v.ingress.enabled $v.httpRoute.enabled -}}
{{- if and $hasRoute (not $v.trustedProxies) -}}
{{- $faults = append $faults "trustedProxies is empty: set it to the addresses of the ingress controller or Gateway; otherwise, all customers seem to have the address of the proxy." -}}
{{- end -}}
{{- if and $v.monitoring.serviceMonitor $v.monitoring.podMonitor -}}
{{- $faults = append $faults "monitoring.serviceMonitor and monitoring.podMonitor would both scrape every pod: turn one off." -}}
{{- end -}}
{{- if and $v.monitoring.prometheusUrl (not (regexMatch "^https?://[^ ]+$" $v.monitoring.prometheusUrl)) -}}
{{- $faults = append $faults (printf "monitoring.prometheusUrl is %q: write it as http://prometheus.monitoring:9090." $v.monitoring.prometheusUrl) -}}
{{- end -}}
{{- if and $v.ingress.enabled (not $v.ingress.className) -}}
{{- $faults = append $faults "ingress.className is empty: name the IngressClass." -}}
{{- end -}}
{{- range list "cert-manager.io/cluster-issuer" "cert-manager.io/issuer" -}}
{{- if and $v.ingress.enabled (hasKey $v.ingress.annotations .) (not $v.ingress.tlsSecretPerHost) -}}
{{- $faults = append $faults (printf "ingress.annotations has %s: cert-manager signs one certificate for each Ingress; set ingress.tlsSecretPerHost; otherwise, the certificates overwrite one another." .) -}}
{{- end -}}
{{- end -}}
{{- if and $v.ingress.enabled (not $v.ingress.tlsSecret) -}}
{{- $faults = append $faults "ingress.tlsSecret is empty: name the Secret with the certificate of the hosts." -}}
{{- end -}}
{{- if and $v.httpRoute.enabled (not $v.httpRoute.parentRefs) -}}
{{- $faults = append $faults "httpRoute.parentRefs is empty: name the Gateway to which the routes belong." -}}
{{- end -}}
{{- with $v.networkPolicy -}}
{{- if .enabled -}}
{{- range $peers := list
  (list "door" .door true "the pods in front of gateway and dashboard")
  (list "postgresql" .postgresql (not $v.postgresql.cluster.enabled) "the address of PostgreSQL")
  (list "kafka" .kafka (not $v.kafka.strimzi.enabled) "the addresses of the brokers")
  (list "valkey" .valkey (and (or $v.valkey.url $v.valkey.fromSecret) (not $v.valkey.instance.enabled)) "the address of Valkey")
  (list "prometheus" .prometheus (or $v.monitoring.serviceMonitor $v.monitoring.podMonitor) "the pods of Prometheus")
  (list "otlp" .otlp $v.telemetry.otlpEndpoint "the address of telemetry.otlpEndpoint")
  (list "dns" .dns true "the pods of the cluster's DNS")
  (list "clusterRanges" .clusterRanges true "the ranges of nodes, pods and services")
-}}
{{- if and (index $peers 2) (not (index $peers 1)) -}}
{{- $faults = append $faults (printf "networkPolicy.%s is empty, which would allow every address: set it to %s." (index $peers 0) (index $peers 3)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- dict "faults" $faults | toJson -}}
{{- end -}}

{{- define "dds.serviceRefusals" -}}
{{- $v := .root.Values -}}
{{- $name := .known.name -}}
{{- $is := .is -}}
{{- $known := .known -}}
{{- $faults := list -}}
{{- $secret := list -}}
{{- range $known.secrets }}{{ $secret = append $secret .env }}{{ end -}}
{{- if and (not $is.enabled) (not $known.requires) -}}
{{- $faults = append $faults (printf "services.%s.enabled is false: the product does not run without this service." $name) -}}
{{- end -}}
{{- if and $is.ownDatabase.enabled (not $known.usesEvents) -}}
{{- $faults = append $faults (printf "services.%s.ownDatabase is on, but the service stores nothing: turn it off." $name) -}}
{{- end -}}
{{- if and $is.ownDatabase.enabled $v.networkPolicy.enabled (not $is.ownDatabase.peers) -}}
{{- $faults = append $faults (printf "services.%s.ownDatabase.peers is empty, which would allow every address: set it to the address of its PostgreSQL." $name) -}}
{{- end -}}
{{- if and $is.ownDatabase.ca.secret (not $is.ownDatabase.enabled) -}}
{{- $faults = append $faults (printf "services.%s.ownDatabase.ca.secret has no effect without services.%s.ownDatabase.enabled: enable the database, or leave the Secret empty." $name $name) -}}
{{- end -}}
{{- $isPublic := false -}}
{{- range $known.listeners }}{{ if .isPublic }}{{ $isPublic = true }}{{ end }}{{ end -}}
{{- if and (ne $is.service.type "ClusterIP") (not $isPublic) -}}
{{- $faults = append $faults (printf "services.%s.service.type is %s, but the service has no public port: leave it at ClusterIP." $name $is.service.type) -}}
{{- end -}}
{{- if and $is.serviceAccount.annotations (not $is.serviceAccount.create) -}}
{{- $faults = append $faults (printf "services.%s.serviceAccount.annotations have no effect without services.%s.serviceAccount.create: set that, or annotate the service account that you name." $name $name) -}}
{{- end -}}
{{- range $is.extraEnv -}}
{{- if or (has .name $known.settings) (has .name $secret) -}}
{{- $faults = append $faults (printf "services.%s.extraEnv contains %s, a setting of the product: use settings or the Secret instead." $name .name) -}}
{{- end -}}
{{- end -}}
{{- if and $is.autoscaling.enabled $is.keda.enabled -}}
{{- $faults = append $faults (printf "services.%s has autoscaling and keda on: both would set its replicas, so turn one off." $name) -}}
{{- end -}}
{{- range $kind := list "autoscaling" "keda" -}}
{{- $one := get $is $kind -}}
{{- if and $one.enabled (gt (int $one.min) (int $one.max)) -}}
{{- $faults = append $faults (printf "services.%s.%s has a min that is higher than its max: exchange them." $name $kind) -}}
{{- end -}}
{{- end -}}
{{- if $is.keda.enabled -}}
{{- if not (or $known.consumes $is.keda.load.query) -}}
{{- $faults = append $faults (printf "services.%s.keda is on, but the service consumes no events: use autoscaling, or set services.%s.keda.load.query to a query that measures its load." $name $name) -}}
{{- else if and $is.keda.load.query (not $v.monitoring.prometheusUrl) (not $known.consumes) -}}
{{- $faults = append $faults (printf "services.%s.keda queries Prometheus for its load: set monitoring.prometheusUrl, such as http://prometheus.monitoring:9090." $name) -}}
{{- end -}}
{{- if and $known.consumes (gt (int $is.keda.max) (int .partitions)) -}}
{{- $faults = append $faults (printf "services.%s.keda.max is above %d, the number of partitions of a topic: more pods would be idle." $name (int .partitions)) -}}
{{- end -}}
{{- end -}}
{{- $many := or (gt (int $is.replicas) 1) $is.autoscaling.enabled $is.keda.enabled -}}
{{- if and $is.enabled $many (has "VALKEY_URL" $secret) (not (or $v.valkey.url $v.valkey.fromSecret)) -}}
{{- $faults = append $faults (printf "services.%s has several replicas, but no Valkey through which they can share counters: set valkey.url or valkey.fromSecret, or set replicas to 1." $name) -}}
{{- end -}}
{{- $own := concat $known.hosts .urls (list "BASE_URL" "BILLING_URL" "MAIL_FROM" "GATEWAY_TRUSTED_PROXIES" "DASHBOARD_TRUSTED_PROXIES" "GATEWAY_JOURNAL" "OTEL_EXPORTER_OTLP_ENDPOINT" "INTERNAL_TLS_FOLDER" "PROBE_PORT" "DATABASE_POOL_SIZE" "DATABASE_MAINTENANCE_POOL_SIZE") -}}
{{- range $known.listeners }}{{ $own = append $own .port }}{{ end -}}
{{- range $env, $value := mergeOverwrite (deepCopy $v.settings) (deepCopy $is.settings) -}}
{{- if and (has $env $known.settings) (or (has $env $own) (hasPrefix "KAFKA_" $env)) -}}
{{- $faults = append $faults (printf "settings.%s is set by the chart: use the corresponding value of the chart." $env) -}}
{{- end -}}
{{- if and (eq $env "FILES_LOCATION") (has $env $known.settings) (not (hasPrefix "s3://" $value)) -}}
{{- if $many -}}
{{- $faults = append $faults (printf "services.%s has several replicas and settings.FILES_LOCATION is a folder, which they cannot share: set it to s3://bucket/prefix, or set replicas to 1." $name) -}}
{{- else if or (not $is.volume.size) (not (hasPrefix "/var/lib/domain-data/" $value)) -}}
{{- $faults = append $faults (printf "services.%s.settings.FILES_LOCATION needs a disk: set it to s3://bucket/prefix, or set services.%s.volume.size and a path below /var/lib/domain-data." $name $name) -}}
{{- end -}}
{{- end -}}
{{- if and (has $env (list "AUDIT_ANCHORS" "CORPUS_SUPPRESSIONS" "ERASED_ACCOUNTS")) (has $env $known.settings) (not $is.volume.size) -}}
{{- $faults = append $faults (printf "settings.%s needs a disk: set services.%s.volume.size, and a path below /var/lib/domain-data." $env $name) -}}
{{- end -}}
{{- if and (has $env (list "CORPUS_SUPPRESSIONS" "ERASED_ACCOUNTS")) (has $env $known.settings) $many (hasPrefix "/var/lib/domain-data/" $value) -}}
{{- $faults = append $faults (printf "services.%s has several replicas and settings.%s is a list on the volume of one replica: set replicas to 1." $name $env) -}}
{{- end -}}
{{- end -}}
{{- range $env, $_ := $is.settings -}}
{{- if has $env $secret -}}
{{- $faults = append $faults (printf "services.%s.settings.%s is a secret: put it into the Secret." $name $env) -}}
{{- else if not (has $env $known.settings) -}}
{{- $faults = append $faults (printf "services.%s.settings.%s is not read by the service: docs/configuration.md lists its settings." $name $env) -}}
{{- end -}}
{{- end -}}
{{- dict "faults" $faults | toJson -}}
{{- end -}}
