{{- /* The values of a pod: `defaults`, overridden by the pod's own. As JSON. */ -}}
{{- define "dds.pod" -}}
{{- $defaults := deepCopy .root.Values.defaults -}}
{{- $own := deepCopy .own -}}
{{- $pod := dict -}}
{{- range list "nodeSelector" "affinity" "podSecurityContext" "securityContext" "podAnnotations" "podLabels" "serviceAccount" -}}
{{- $_ := set $pod . (mergeOverwrite (get $defaults .) (get $own . | default dict)) -}}
{{- end -}}
{{- range list "tolerations" "priorityClassName" "extraEnv" "extraVolumes" "extraVolumeMounts" -}}
{{- $_ := set $pod . (get $own . | default (get $defaults .)) -}}
{{- end -}}
{{- toJson $pod -}}
{{- end -}}

{{- /* The permissions of a pod, and the nodes on which it may run: {root, pod, name}. */ -}}
{{- define "dds.podSpec" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- if or .pod.serviceAccount.create .pod.serviceAccount.name }}
serviceAccountName: {{ .pod.serviceAccount.name | default (printf "%s-%s" (include "dds.fullname" .root) .name) }}
{{- end }}
securityContext: {{ toYaml .pod.podSecurityContext | nindent 2 }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .pod.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .pod.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .pod.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .pod.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}

{{- define "dds.container" -}}
image: {{ .image | default (include "dds.image" .root) }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext: {{ toYaml .pod.securityContext | nindent 2 }}
{{- end -}}

{{- /* The service account of a pod, if it has its own: {root, pod, name, annotations}. */ -}}
{{- define "dds.serviceAccount" -}}
{{- if .pod.serviceAccount.create }}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .pod.serviceAccount.name | default (printf "%s-%s" (include "dds.fullname" .root) .name) }}
  namespace: {{ include "dds.namespace" .root }}
  labels: {{- include "dds.labels" .root | nindent 4 }}
  {{- with merge (dict) (.annotations | default dict) .pod.serviceAccount.annotations }}
  annotations: {{ toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end }}
{{- end -}}

{{- /* A secret as a file of a pod: {env, file, secret, key, optional}. As JSON. */ -}}
{{- define "dds.secretFile" -}}
{{- $at := include "dds.secret" (dict "root" .root "key" .file) | fromJson -}}
{{- dict "env" .env "file" .file "secret" $at.name "key" $at.key "optional" (.optional | default false) | toJson -}}
{{- end -}}

{{- /* The secrets that a service gets as files, each as in dds.secretFile. As JSON. */ -}}
{{- define "dds.secretFiles" -}}
{{- $root := .root -}}
{{- $files := list -}}
{{- range .known.secrets -}}
{{- if eq .env "KAFKA_SASL_PASSWORD" -}}
{{- if $root.Values.kafka.strimzi.enabled -}}
{{- $files = append $files (dict "env" .env "file" .file "secret" $.known.name "key" "password") -}}
{{- else if $root.Values.kafka.tls -}}
{{- $files = append $files (include "dds.secretFile" (dict "root" $root "env" .env "file" .file) | fromJson) -}}
{{- end -}}
{{- else if or .isRequired .mayBeMissing (eq .env "SMTP_URL") (and (eq .env "VALKEY_URL") $root.Values.valkey.fromSecret) -}}
{{- $files = append $files (include "dds.secretFile" (dict "root" $root "env" .env "file" .file "optional" .mayBeMissing) | fromJson) -}}
{{- end -}}
{{- end -}}
{{- dict "files" $files | toJson -}}
{{- end -}}

{{- /* Variables without secrets, by name. Each is given only to services that read it. As JSON. */ -}}
{{- define "dds.settings" -}}
{{- $root := .root -}}
{{- $known := .known -}}
{{- $v := $root.Values -}}
{{- $full := include "dds.fullname" $root -}}
{{- $scheme := ternary "https" "http" (eq "true" (include "dds.internalTls" $root)) -}}
{{- $all := dict
  "BASE_URL" (printf "https://%s" $v.hosts.api)
  "BILLING_URL" (printf "https://%s" $v.hosts.dashboard)
  "GATEWAY_TRUSTED_PROXIES" (join "," $v.trustedProxies)
  "DASHBOARD_TRUSTED_PROXIES" (join "," $v.trustedProxies)
  "MAIL_FROM" $v.mail.from
  "OTEL_EXPORTER_OTLP_ENDPOINT" $v.telemetry.otlpEndpoint
  "KAFKA_BROKERS" (include "dds.kafkaBrokers" $root)
  "KAFKA_PREFIX" $v.kafka.prefix
  "KAFKA_TOPIC_REPLICATION" (toString $v.kafka.topicReplication)
  "KAFKA_TLS" (include "dds.kafkaTls" $root | default "false")
  "KAFKA_SASL_USERNAME" (ternary $known.name "" (eq "true" (include "dds.kafkaTls" $root)))
  "KAFKA_SASL_MECHANISM" (ternary $v.kafka.saslMechanism "" (eq "true" (include "dds.kafkaTls" $root)))
  "INTERNAL_TLS_FOLDER" (ternary "/run/tls" "" (eq "true" (include "dds.internalTls" $root)))
  "PROBE_PORT" "7101"
  "DATABASE_POOL_SIZE" (toString .is.database.poolSize)
  "DATABASE_MAINTENANCE_POOL_SIZE" (toString .is.database.maintenancePoolSize)
  "GATEWAY_JOURNAL" "/var/lib/domain-data/gateway.journal"
-}}
{{- range (include "dds.services" $root | fromJson).services -}}
{{- if .known.urlSetting -}}
{{- $_ := set $all .known.urlSetting (printf "%s://%s-%s:7100" $scheme $full .known.name) -}}
{{- end -}}
{{- end -}}
{{- range $known.hosts -}}
{{- $_ := set $all . $v.bindAddress -}}
{{- end -}}
{{- range $index, $listener := $known.listeners -}}
{{- $_ := set $all $listener.port (toString (ternary 7100 (add 8079 $index) (eq $index 0))) -}}
{{- end -}}
{{- range $env, $value := mergeOverwrite (deepCopy $v.settings) (deepCopy .is.settings) -}}
{{- $_ := set $all $env (toString $value) -}}
{{- end -}}
{{- $read := dict -}}
{{- range $env, $value := $all -}}
{{- if and (has $env $known.settings) (ne $value "") -}}
{{- $_ := set $read $env $value -}}
{{- end -}}
{{- end -}}
{{- if and (include "dds.kafkaTls" $root) (has "KAFKA_TLS_CA" $known.settings) (include "dds.kafkaCa" $root | fromJson).secret -}}
{{- $_ := set $read "KAFKA_TLS_CA_FILE" "/run/trust/kafka/ca.crt" -}}
{{- end -}}
{{- if and $v.valkey.ca.secret (has "VALKEY_TLS_CA" $known.settings) -}}
{{- $_ := set $read "VALKEY_TLS_CA_FILE" "/run/trust/valkey/ca.crt" -}}
{{- end -}}
{{- $hasValkey := false -}}
{{- range $known.secrets -}}
{{- if eq .env "VALKEY_URL" }}{{ $hasValkey = true }}{{ end -}}
{{- end -}}
{{- if and $hasValkey $v.valkey.url -}}
{{- $_ := set $read "VALKEY_URL" $v.valkey.url -}}
{{- end -}}
{{- toJson $read -}}
{{- end -}}

{{- /* The environment: settings, and the paths of secret files. */ -}}
{{- define "dds.env" -}}
{{- range $env, $value := .settings }}
- { name: {{ $env }}, value: {{ $value | quote }} }
{{- end }}
{{- range .files }}
- { name: {{ .env }}_FILE, value: /run/secrets/{{ .file }} }
{{- end }}
{{- with .pod.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* Secrets are mounted as a whole, not with subPath, so that the running process sees a rotated secret. */ -}}
{{- define "dds.volumes" -}}
- name: tmp
  emptyDir: { medium: Memory, sizeLimit: 64Mi }
- name: secrets
  projected:
    defaultMode: 288 # 0440
    sources:
      {{- range .files }}
      - secret: { name: {{ .secret }}, items: [{ key: {{ .key }}, path: {{ .file }} }]{{ if .optional }}, optional: true{{ end }} }
      {{- end }}
{{- with .tls }}
- name: tls
  secret: { secretName: {{ . }}, defaultMode: 288 }
{{- end }}
{{- range $name, $ca := .trust }}
- name: trust-{{ $name }}
  secret:
    secretName: {{ $ca.secret }}
    defaultMode: 292 # 0444
    items: [{ key: {{ $ca.key }}, path: ca.crt }]
{{- end }}
{{- with .pod.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "dds.mounts" -}}
- { name: tmp, mountPath: /tmp }
- { name: secrets, mountPath: /run/secrets, readOnly: true }
{{- if .tls }}
- { name: tls, mountPath: /run/tls, readOnly: true }
{{- end }}
{{- range $name, $ca := .trust }}
- { name: trust-{{ $name }}, mountPath: /run/trust/{{ $name }}, readOnly: true }
{{- end }}
{{- with .pod.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* The databases that each belong to one service: {name, port, peers, ca}. As JSON. */ -}}
{{- define "dds.ownDatabases" -}}
{{- $root := . -}}
{{- $all := list -}}
{{- range (.Files.Get "files/services.json" | fromJson).services -}}
{{- $is := mergeOverwrite (deepCopy $root.Values.defaults) (deepCopy (get $root.Values.services .name | default dict)) -}}
{{- if $is.ownDatabase.enabled }}{{ $all = append $all (mergeOverwrite (dict "name" .name) $is.ownDatabase) }}{{ end -}}
{{- end -}}
{{- dict "all" $all | toJson -}}
{{- end -}}

{{- /* Certificate authorities, by the servers whose certificates they sign. As JSON. */ -}}
{{- define "dds.trust" -}}
{{- $trust := dict -}}
{{- if .known.usesEvents -}}
{{- $postgres := include "dds.postgresCa" .root | fromJson -}}
{{- if $postgres.secret }}{{ $_ := set $trust "postgresql" $postgres }}{{ end -}}
{{- range (include "dds.ownDatabases" .root | fromJson).all -}}
{{- if and .ca.secret (or (not $.known.name) (eq .name $.known.name)) }}{{ $_ := set $trust (printf "%s-postgresql" .name) .ca }}{{ end -}}
{{- end -}}
{{- $kafka := include "dds.kafkaCa" .root | fromJson -}}
{{- if and $kafka.secret (include "dds.kafkaTls" .root) }}{{ $_ := set $trust "kafka" $kafka }}{{ end -}}
{{- end -}}
{{- if and .root.Values.valkey.ca.secret (has "VALKEY_TLS_CA" .known.settings) -}}
{{- $_ := set $trust "valkey" .root.Values.valkey.ca -}}
{{- end -}}
{{- toJson $trust -}}
{{- end -}}

{{- /* Whether a pod waits before it is told to stop. Gateways and dashboards have their own notice. */ -}}
{{- define "dds.hasPause" -}}
{{- if not (or (has "GATEWAY_DRAIN_NOTICE_MS" .settings) (has "DASHBOARD_DRAIN_NOTICE_MS" .settings)) }}true{{ end -}}
{{- end -}}

{{- /*
The seconds that a pod has to stop: 40, and its pause before; for a gateway, its notice and its drain by its settings,
plus 10.
*/ -}}
{{- define "dds.graceSeconds" -}}
{{- if has "GATEWAY_DRAIN_MS" .known.settings -}}
{{- $notice := get .settings "GATEWAY_DRAIN_NOTICE_MS" | default "5000" | int -}}
{{- $drain := get .settings "GATEWAY_DRAIN_MS" | default "25000" | int -}}
{{- add 10 (div (add $notice $drain 999) 1000) -}}
{{- else if include "dds.hasPause" .known -}}
45
{{- else -}}
40
{{- end -}}
{{- end -}}
