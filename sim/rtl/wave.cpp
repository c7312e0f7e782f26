// SPDX-License-Identifier: Apache-2.0
#include "rtl/wave.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <utility>

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <verilated_fst_c.h>

namespace tsim::rtl
{

namespace
{
constexpr uint64_t kStepsPerCycle = 1000;
// A block of the file is put together from lists of changes, signal by signal: they should not be
// larger than a cache.
constexpr uint32_t kDumpsPerBlock = 4096;
constexpr mode_t kPrivate = 0600;
constexpr mode_t kOthers = 077;
// What the file's own buffers may still need.
constexpr uint64_t kLeastRoom = 32u << 20;
constexpr rlim_t kDrawingSeconds = 600; // of processor time

bool drawing_apart; // that child needs none of what is buffered

void before_fork()
{
    // A child that ends by exit() would write what is buffered here once more.
    if (!drawing_apart)
        (void)std::fflush(nullptr);
}

// Files that are open. Their last blocks are written when the process ends, even where the system
// is never freed; so the set itself stays.
std::set<FstFile *> &open_files()
{
    static auto *const files = [] {
        (void)std::atexit(close_waves);
        (void)pthread_atfork(before_fork, nullptr, nullptr);
        return new std::set<FstFile *>;
    }();
    return *files;
}
} // namespace

FstFile::FstFile() : file_(std::make_unique<VerilatedFstC>())
{
    file_->set_time_unit("1ps");
    file_->set_time_resolution("1ps");
}

FstFile::~FstFile()
{
    close();
}

bool FstFile::is_open() const
{
    return file_->isOpen();
}

bool FstFile::has_room() const
{
    struct statvfs disk = {};
    const size_t slash = name_.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : name_.substr(0, slash + 1);
    return statvfs(folder.c_str(), &disk) != 0 ||
           static_cast<uint64_t>(disk.f_bavail) * disk.f_frsize >= kLeastRoom;
}

void FstFile::open(const std::string &name)
{
    name_ = name;
    owner_ = getpid();
    if (!has_room()) {
        std::fprintf(stderr, "twinrt: no waveforms in %s: less than %u MiB are free there\n",
                     name.c_str(), static_cast<unsigned>(kLeastRoom >> 20));
        return;
    }
    // Verilator makes it, and another beside it, anew under the name.
    const mode_t before = umask(kOthers);
    file_->open(name.c_str());
    (void)umask(before);
    if (!file_->isOpen()) {
        std::fprintf(stderr, "twinrt: no waveforms: %s cannot be written: %s\n", name.c_str(),
                     std::strerror(errno));
        return;
    }
    (void)chmod(name.c_str(), kPrivate); // it may have been there before
    open_files().insert(this);
}

void FstFile::dump(uint64_t cycle)
{
    if (!file_->isOpen())
        return;
    last_ = std::max(last_ + 1, cycle * kStepsPerCycle);
    file_->dump(last_);
    if (++dumps_ % kDumpsPerBlock != 0)
        return;
    file_->flush();
    if (has_room())
        return;
    std::fprintf(stderr, "twinrt: the waveforms in %s end at cycle %llu: the disk is full\n",
                 name_.c_str(), static_cast<unsigned long long>(cycle));
    close();
}

void FstFile::close()
{
    open_files().erase(this);
    if (owner_ != 0 && owner_ != getpid())
        (void)file_.release(); // its parent's
    else if (file_->isOpen())
        file_->close();
}

void close_waves()
{
    const std::set<FstFile *> all = std::move(open_files());
    open_files().clear();
    for (FstFile *const file : all)
        file->close(); // in a forked child: leaves it alone
}

VcdFile::VcdFile(const std::string &name, const std::string &scope,
                 const std::vector<Column> &columns)
{
    (void)unlink(name.c_str()); // a reader of the old file reads nothing new
    const int descriptor =
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kPrivate);
    file_ = descriptor < 0 ? nullptr : fdopen(descriptor, "w");
    if (!file_) {
        if (descriptor >= 0)
            (void)::close(descriptor);
        return;
    }
    std::fprintf(file_, "$timescale 1ps $end\n$scope module %s $end\n", scope.c_str());
    for (size_t i = 0; i < columns.size(); ++i) {
        if (i == 0 || columns[i].scope != columns[i - 1].scope)
            std::fprintf(file_, "%s$scope module %s $end\n", i == 0 ? "" : "$upscope $end\n",
                         columns[i].scope.c_str());
        std::fprintf(file_, "$var wire 64 s%zu %s $end\n", i, columns[i].name.c_str());
    }
    std::fprintf(file_, "$upscope $end\n$upscope $end\n$enddefinitions $end\n");
}

VcdFile::~VcdFile()
{
    (void)close();
}

void VcdFile::add(uint64_t cycle, const std::vector<uint64_t> &values)
{
    if (!file_)
        return;
    last_ = std::max(last_ + 1, cycle * kStepsPerCycle);
    std::fprintf(file_, "#%llu\n", static_cast<unsigned long long>(last_));
    for (size_t i = 0; i < values.size(); ++i) {
        std::fputc('b', file_);
        if (values[i] == kUnknown)
            std::fputc('x', file_);
        for (unsigned bit = 64; values[i] != kUnknown && bit-- > 0;)
            std::fputc('0' + static_cast<int>(values[i] >> bit & 1), file_);
        std::fprintf(file_, " s%zu\n", i);
    }
}

bool VcdFile::close()
{
    std::FILE *const file = std::exchange(file_, nullptr);
    return file && std::fclose(file) == 0;
}

int draw_apart(const std::function<int()> &draw, std::string &why)
{
    drawing_apart = true;
    const pid_t child = fork();
    drawing_apart = false;
    if (child == 0) {
        for (const int number : {SIGBUS, SIGSEGV, SIGABRT, SIGXCPU, SIGXFSZ})
            (void)std::signal(number, SIG_DFL);
        sigset_t none;
        (void)sigemptyset(&none);
        (void)sigprocmask(SIG_SETMASK, &none, nullptr);
        // An assertion that failed fails again here, and was reported.
        const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        (void)dup2(nowhere, STDOUT_FILENO);
        const rlimit most = {kDrawingSeconds, kDrawingSeconds};
        (void)setrlimit(RLIMIT_CPU, &most);
        _exit(draw());
    }
    int status = 0;
    pid_t ended = child;
    while (child > 0 && (ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
    }
    if (child < 0) {
        why = std::strerror(errno);
        return -1;
    }
    if (ended < 0) {
        why = "the program has taken note of the end of the process that drew them: they may be "
              "there";
        return -1;
    }
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    const int ending = WTERMSIG(status);
    why = std::string("the process that drew them was ended: ") + strsignal(ending);
    if (ending == SIGBUS || ending == SIGXFSZ)
        why += "; is the disk full?";
    return -1;
}

} // namespace tsim::rtl
