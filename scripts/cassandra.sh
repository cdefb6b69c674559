#!/usr/bin/env bash
# Apache Cassandra on loopback, for tests: nodes at 127.0.0.1, 127.0.0.2, 127.0.0.3, from the jars on Maven Central.
#
#   scripts/cassandra.sh start DIR [NODES] [secured|relayed]   one node or three; returns when all answer; data in DIR
#   scripts/cassandra.sh stop DIR             ends all nodes, by force after 20 s; their data are kept
#   scripts/cassandra.sh kill-node DIR N      kill -9
#   scripts/cassandra.sh start-node DIR N     starts an ended node again with its data; returns when it answers
#   scripts/cassandra.sh pause-node DIR N     SIGSTOP: alive, but answers nothing
#   scripts/cassandra.sh resume-node DIR N    SIGCONT
#   scripts/cassandra.sh partition-node DIR N cuts a relayed node off from the others; clients still reach it
#   scripts/cassandra.sh rejoin-node DIR N    ends that
#   scripts/cassandra.sh snapshot DIR N TAG   has a node keep its files as they are now (nodetool snapshot)
#   scripts/cassandra.sh restore DIR N TAG    of an ended node: puts the files of a snapshot in the place of its data
#   scripts/cassandra.sh status DIR           one line a node
#
# Secured nodes require a login (at first user cassandra with password cassandra, a moment after the
# start), over TLS alone, and look at rights.
# DIR/tls/ca.pem vouches for them; DIR/tls/other-ca.pem is a certificate that vouches for nobody.
#
# Relayed nodes reach each other through tests/cassandra/relay.py.
#
# RHIZOME_CASSANDRA_PORT (9042), RHIZOME_CASSANDRA_STORAGE_PORT (7000) and RHIZOME_CASSANDRA_JMX_PORT (7199, one more for each node
# after the first) choose the ports, RHIZOME_CASSANDRA_HEAP the heap of a node (512M alone, 320M of three). With
# RHIZOME_CASSANDRA_COMPILER=full, Java optimizes as in production, which takes minutes. RHIZOME_CASSANDRA_YAML has more lines of
# cassandra.yaml. The jars are kept in ${RHIZOME_CACHE}/cassandra. Needs Java 17 and Maven.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

config=$root/tests/cassandra
version=$(sed -n 's:.*<cassandra.version>\(.*\)</cassandra.version>.*:\1:p' "$config/pom.xml")
jars=$RHIZOME_CACHE/cassandra/$version
port=${RHIZOME_CASSANDRA_PORT:-9042}
storage_port=${RHIZOME_CASSANDRA_STORAGE_PORT:-7000}
jmx_port=${RHIZOME_CASSANDRA_JMX_PORT:-7199}
# Starting takes 15 s of processor time, which a busy machine may not have soon.
seconds_to_start=600

usage() {
    die "usage: scripts/cassandra.sh start DIR [NODES] [secured|relayed] | stop DIR | status DIR" \
        "       scripts/cassandra.sh {kill,start,pause,resume,partition,rejoin}-node DIR N" \
        "       scripts/cassandra.sh {snapshot,restore} DIR N TAG"
}

fetch() {
    compgen -G "$jars/cassandra-all-*.jar" >/dev/null && return
    have java || die "Cassandra needs Java 17, and there is none." "Run: scripts/setup.sh java"
    have mvn || die "Cassandra's jars are fetched with Maven, which is missing." "Run: scripts/setup.sh java"
    local new=$jars.new.$$
    say "Fetching Cassandra $version from Maven Central"
    mkdir -p "$new"
    mvn -q -B -f "$config/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$new" ||
        die "Maven could not fetch Cassandra $version; its words are above."
    mkdir -p "$(dirname "$jars")"
    # Another run may have been faster; its copy is as good.
    mv -T "$new" "$jars" 2>/dev/null || rm -rf "$new"
}

address() { echo "127.0.0.$1"; }

pid_of() { cat "$1/node$2/pid" 2>/dev/null; }

# A number of an ended process may be another one's by now.
running() { # DIR N
    local pid
    pid=$(pid_of "$1" "$2") || return 1
    [[ -r /proc/$pid/cmdline ]] && tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q "$1/node$2/"
}

# What Cassandra needs of the modules of Java 17.
modules=(--add-opens jdk.management/com.sun.management.internal=ALL-UNNAMED -Djdk.attach.allowAttachSelf=true)
for export in java.base/jdk.internal.misc java.base/jdk.internal.ref java.base/java.lang.ref java.base/sun.nio.ch \
    java.management.rmi/com.sun.jmx.remote.internal.rmi java.rmi/sun.rmi.registry java.rmi/sun.rmi.server \
    java.rmi/sun.rmi.transport.tcp java.sql/java.sql jdk.unsupported/sun.misc jdk.compiler/com.sun.tools.javac.api; do
    modules+=(--add-exports "$export=ALL-UNNAMED")
done
for package in java.io java.lang java.lang.module java.lang.reflect java.net java.nio java.util java.util.concurrent \
    java.util.concurrent.atomic jdk.internal.loader jdk.internal.math jdk.internal.misc jdk.internal.module \
    jdk.internal.ref jdk.internal.reflect jdk.internal.util.jar sun.nio.ch; do
    modules+=(--add-opens "java.base/$package=ALL-UNNAMED")
done

# Keys of the secured nodes, for tests: the passwords protect nothing.
tls_password=rhizome-tests

# Certificates live two weeks, less than anybody keeps such a folder.
key_pair() { # DIR NAME [keytool's arguments]
    local dir=$1 name=$2
    shift 2
    keytool -genkeypair -alias "$name" -keyalg EC -groupname secp256r1 -validity 14 -dname "CN=rhizome-tests $name" \
        -storetype PKCS12 -keystore "$dir/$name.p12" -storepass "$tls_password" "$@"
}

make_certificates() { # DIR NODES
    local dir=$1 ca name names= n
    have keytool || die "certificates of secured nodes are made with Java's keytool, which is missing." "Run: scripts/setup.sh java"
    mkdir -p "$dir"
    for ((n = 1; n <= $2; n++)); do names+=${names:+,}ip:$(address "$n"); done
    for ca in ca other-ca; do
        key_pair "$dir" "$ca" -ext bc:critical=ca:true -ext ku:critical=keyCertSign,cRLSign
        keytool -exportcert -rfc -alias "$ca" -keystore "$dir/$ca.p12" -storepass "$tls_password" -file "$dir/$ca.pem"
    done
    # One key for all nodes, signed by the first of the two.
    name=node
    key_pair "$dir" "$name"
    keytool -certreq -alias "$name" -keystore "$dir/$name.p12" -storepass "$tls_password" |
        keytool -gencert -rfc -alias ca -keystore "$dir/ca.p12" -storepass "$tls_password" -validity 14 \
            -ext "san=$names" -ext eku=serverAuth >"$dir/$name.pem"
    keytool -importcert -noprompt -alias ca -keystore "$dir/$name.p12" -storepass "$tls_password" -file "$dir/ca.pem"
    keytool -importcert -noprompt -alias "$name" -keystore "$dir/$name.p12" -storepass "$tls_password" -file "$dir/$name.pem"
}

configure() { # DIR N NODES
    local dir=$1/node$2 token
    mkdir -p "$dir/conf" "$dir/tmp"
    # Tokens that share the ring evenly, so that nodes need not wait for each other to choose theirs. 64-bit arithmetic of the
    # shell wraps, so the step is halved before it is doubled.
    token=$((-9223372036854775807 + ($2 - 1) * (9223372036854775807 / $3 * 2)))
    sed -e "s|@ADDRESS@|$(address "$2")|g; s|@PORT@|$port|g; s|@STORAGE_PORT@|$storage_port|g" \
        -e "s|@DIR@|$dir|g; s|@TOKEN@|$token|g" "$config/cassandra.yaml" >"$dir/conf/cassandra.yaml"
    if [[ -n ${RHIZOME_CASSANDRA_YAML:-} ]]; then printf '%s\n' "$RHIZOME_CASSANDRA_YAML" >>"$dir/conf/cassandra.yaml"; fi
    if [[ -d $1/tls ]]; then
        sed -e "s|@TLS@|$1/tls|g; s|@PASSWORD@|$tls_password|g" "$config/secured.yaml" >>"$dir/conf/cassandra.yaml"
    fi
    if [[ -e $1/relayed ]]; then
        printf 'broadcast_address: 127.0.1.%s\n' "$2" >>"$dir/conf/cassandra.yaml"
        sed -i "s|seeds: \"127.0.0.1:|seeds: \"127.0.1.1:|" "$dir/conf/cassandra.yaml"
    fi
    cp "$config/logback.xml" "$dir/conf/"
}

# Becomes a command in a session of its own: what ends the caller's terminal does not end it. File descriptors of the caller,
# locks above all, are closed.
detached() { # LOG COMMAND [ARGUMENT...]
    local fd log=$1
    shift
    for fd in /proc/self/fd/*; do
        fd=${fd##*/}
        if ((fd > 2)); then eval "exec $fd>&-" 2>/dev/null || true; fi
    done
    exec setsid "$@" >>"$log" 2>&1 </dev/null
}

relay_runs() { # DIR
    local pid
    pid=$(cat "$1/relay.pid" 2>/dev/null) || return 1
    [[ -r /proc/$pid/cmdline ]] && tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q "relay.py $1 "
}

start_relay() { # DIR NODES
    rm -f "$1/partitioned"
    if relay_runs "$1"; then return; fi
    (detached "$1/relay.log" python3 "$config/relay.py" "$1" "$2" "$storage_port") &
    echo $! >"$1/relay.pid"
}

stop_relay() { # DIR
    if relay_runs "$1"; then kill "$(cat "$1/relay.pid")"; fi
    rm -f "$1/relay.pid" "$1/partitioned"
}

launch() { # DIR N
    local dir=$1/node$2 heap=${RHIZOME_CASSANDRA_HEAP:-} options
    if running "$1" "$2"; then die "node $2 of $1 is running already: pid $(pid_of "$1" "$2")"; fi
    if port_in_use "$(address "$2")" "$port"; then die "port $port of $(address "$2") is taken"; fi
    if [[ -z $heap ]]; then if (($(cat "$1/nodes") > 1)); then heap=320M; else heap=512M; fi; fi
    # The quick compiler and collector: nodes of tests live for minutes, next to many others on few processors.
    options=(-Xms"$heap" -Xmx"$heap" -Xss512k -XX:+UseSerialGC -XX:MaxDirectMemorySize=192M -XX:+ExitOnOutOfMemoryError
        -XX:-UsePerfData -javaagent:"$(echo "$jars"/jamm-*.jar)"
        -Dcassandra.config="file://$dir/conf/cassandra.yaml" -Dcassandra.storagedir="$dir" -Dcassandra.logdir="$dir"
        -Dlogback.configurationFile="$dir/conf/logback.xml" -Dcassandra.triggers_dir="$dir/conf"
        -Djava.io.tmpdir="$dir/tmp" -Djna.tmpdir="$dir/tmp" -Dio.netty.native.workdir="$dir/tmp"
        -Djava.net.preferIPv4Stack=true -Djava.awt.headless=true
        # Nobody else is in this ring who would have to be waited for.
        -Dcassandra.ring_delay_ms=1000 -Dcassandra.skip_wait_for_gossip_to_settle=0
        -Dcassandra.superuser_setup_delay_ms=100
        # Its own tools reach it there.
        -Dcassandra.jmx.local.port="$((jmx_port + $2 - 1))")
    if [[ ${RHIZOME_CASSANDRA_COMPILER:-quick} == quick ]]; then options+=(-XX:TieredStopAtLevel=1); fi
    (
        cd "$dir"
        detached "$dir/log" java "${modules[@]}" "${options[@]}" -cp "$dir/conf:$jars/*" \
            org.apache.cassandra.service.CassandraDaemon
    ) &
    echo $! >"$dir/pid"
}

# Returns when node N accepts clients: it opens the port last.
wait_up() { # DIR N
    local end=$((SECONDS + seconds_to_start))
    until port_in_use "$(address "$2")" "$port"; do
        if ! running "$1" "$2" && ! kill -0 "$(pid_of "$1" "$2")" 2>/dev/null; then
            tail -n 30 "$1/node$2/log" >&2
            die "node $2 ended while it started; its last lines are above, all of them in $1/node$2/log"
        fi
        if ((SECONDS > end)); then die "node $2 did not accept clients within $seconds_to_start s; see $1/node$2/log"; fi
        sleep 0.3
    done
}

start() { # DIR NODES [secured|relayed]
    local dir=$1 nodes=$2 secured=${3:-} n
    [[ $nodes == 1 || $nodes == 3 ]] || die "one node or three, not '$nodes'"
    if [[ -e $dir/nodes && $(cat "$dir/nodes") != "$nodes" ]]; then die "$dir holds a cluster of $(cat "$dir/nodes")"; fi
    [[ -z $secured || $secured == secured || $secured == relayed ]] || die "'secured', 'relayed' or nothing, not '$secured'"
    if [[ $secured == relayed ]]; then
        touch "$dir/relayed"
        secured=
    fi
    if [[ -e $dir/nodes && -n $secured && ! -d $dir/tls ]]; then die "$dir holds a cluster that is not secured"; fi
    fetch
    if [[ -n $secured && ! -d $dir/tls ]]; then
        rm -rf "$dir/tls.new"
        make_certificates "$dir/tls.new" "$nodes" 2>"$dir/keytool.log" || die "keytool failed; see $dir/keytool.log"
        mv "$dir/tls.new" "$dir/tls"
    fi
    echo "$nodes" >"$dir/nodes"
    for ((n = 1; n <= nodes; n++)); do configure "$dir" "$n" "$nodes"; done
    if [[ -e $dir/relayed ]]; then start_relay "$dir" "$nodes"; fi
    # The first one makes the ring that the others join.
    for ((n = 1; n <= nodes; n++)); do
        launch "$dir" "$n"
        wait_up "$dir" "$n"
    done
    say "Cassandra $version: $nodes node(s), port $port${secured:+, $secured}"
}

# The signal first to all, then the wait for each.
stop() { # DIR
    local dir=$1 n pid nodes
    nodes=$(cat "$dir/nodes" 2>/dev/null) || die "$dir holds no cluster of this script"
    for ((n = 1; n <= nodes; n++)); do
        if running "$dir" "$n"; then kill -CONT "$(pid_of "$dir" "$n")"; kill -TERM "$(pid_of "$dir" "$n")"; fi
    done
    for ((n = 1; n <= nodes; n++)); do
        for _ in {1..200}; do running "$dir" "$n" || break; sleep 0.1; done
        if running "$dir" "$n"; then kill -KILL "$(pid_of "$dir" "$n")"; fi
        rm -f "$dir/node$n/pid"
    done
    stop_relay "$dir"
}

partition_node() { # DIR N
    relay_runs "$1" || die "the nodes of $1 are not relayed; start them with: scripts/cassandra.sh start $1 $(cat "$1/nodes") relayed"
    echo "$2" >"$1/partitioned"
}

signal_node() { # DIR N SIGNAL
    running "$1" "$2" || die "node $2 of $1 is not running"
    kill "-$3" "$(pid_of "$1" "$2")"
}

kill_node() { # DIR N
    signal_node "$1" "$2" KILL
    while running "$1" "$2"; do sleep 0.05; done
    rm -f "$1/node$2/pid"
}

snapshot() { # DIR N TAG
    running "$1" "$2" || die "node $2 of $1 is not running"
    java "${modules[@]}" -Xmx128M -XX:TieredStopAtLevel=1 -Dcassandra.storagedir="$1/node$2" -Djna.tmpdir="$1/node$2/tmp" \
        -cp "$1/node$2/conf:$jars/*" org.apache.cassandra.tools.NodeTool -h 127.0.0.1 -p "$((jmx_port + $2 - 1))" snapshot -t "$3"
}

restore() { # DIR N TAG
    local table
    if running "$1" "$2"; then die "node $2 of $1 is running"; fi
    for table in "$1/node$2"/data/*/*/; do
        find "$table" -mindepth 1 -maxdepth 1 -type f -delete
        if [[ -d $table/snapshots/$3 ]]; then cp "$table/snapshots/$3"/* "$table"; fi
    done
    rm -rf "$1/node$2"/{commitlog,saved_caches,hints}
}

status() { # DIR
    local dir=$1 n nodes
    nodes=$(cat "$dir/nodes")
    for ((n = 1; n <= nodes; n++)); do
        if running "$dir" "$n"; then
            echo "$(address "$n"):$port running, pid $(pid_of "$dir" "$n"), $(awk '/VmRSS/ {print int($2 / 1024)}' "/proc/$(pid_of "$dir" "$n")/status") MiB"
        else
            echo "$(address "$n"):$port not running"
        fi
    done
}

(($# >= 2)) || usage
mkdir -p "$2"
dir=$(cd -P "$2" && pwd)
case $1 in
start) start "$dir" "${3:-1}" "${4:-}" ;;
stop) stop "$dir" ;;
status) status "$dir" ;;
kill-node) kill_node "$dir" "${3:?N}" ;;
start-node) fetch; launch "$dir" "${3:?N}"; wait_up "$dir" "$3" ;;
snapshot) snapshot "$dir" "${3:?N}" "${4:?TAG}" ;;
restore) restore "$dir" "${3:?N}" "${4:?TAG}" ;;
partition-node) partition_node "$dir" "${3:?N}" ;;
rejoin-node) rm -f "$dir/partitioned" ;;
pause-node) signal_node "$dir" "${3:?N}" STOP ;;
resume-node) signal_node "$dir" "${3:?N}" CONT ;;
*) usage ;;
esac
