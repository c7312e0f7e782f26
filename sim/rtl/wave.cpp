// SPDX-License-Identifier: Apache-2.0
#include "rtl/wave.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <verilated_fst_c.h>

namespace tsim::rtl
{

namespace
{
constexpr uint64_t kStepsPerCycle = 1000;
// A block of the file is put together from lists of changes, signal by signal: they should not be larger than a cache.
constexpr uint32_t kDumpsPerBlock = 4096;
constexpr mode_t kPrivate = 0600;

// Files that are open. Their last blocks are written when the process ends, even where the board is never freed; so the
// set itself stays.
std::set<FstFile *> &open_files()
{
    static auto *const files = [] {
        (void)std::atexit(close_waves);
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

void FstFile::open(const std::string &name)
{
    open_files().insert(this);
    file_->open(name.c_str());
    // Verilator makes it anew under the name; before the first value is in it, it is its owner's alone.
    (void)chmod(name.c_str(), kPrivate);
}

void FstFile::dump(uint64_t cycle)
{
    last_ = std::max(last_ + 1, cycle * kStepsPerCycle);
    file_->dump(last_);
    if (++dumps_ % kDumpsPerBlock == 0)
        file_->flush();
}

void FstFile::close()
{
    open_files().erase(this);
    if (file_->isOpen())
        file_->close();
}

void close_waves()
{
    const std::set<FstFile *> all = std::move(open_files());
    open_files().clear();
    for (FstFile *const file : all)
        file->close();
}

bool write_vcd(const std::string &name, const std::string &scope,
               const std::vector<const char *> &names,
               const std::vector<std::vector<uint64_t>> &rows)
{
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kPrivate);
    std::FILE *const file = descriptor < 0 ? nullptr : fdopen(descriptor, "w");
    if (!file) {
        if (descriptor >= 0)
            (void)::close(descriptor);
        return false;
    }
    std::fprintf(file, "$timescale 1ps $end\n$scope module %s $end\n", scope.c_str());
    for (size_t i = 0; i < names.size(); ++i)
        std::fprintf(file, "$var wire 64 s%zu %s $end\n", i, names[i]);
    std::fprintf(file, "$upscope $end\n$enddefinitions $end\n");
    uint64_t last = 0;
    for (const std::vector<uint64_t> &row : rows) {
        last = std::max(last + 1, row[0] * kStepsPerCycle);
        std::fprintf(file, "#%llu\n", static_cast<unsigned long long>(last));
        for (size_t i = 0; i < names.size() && i + 1 < row.size(); ++i) {
            std::fputc('b', file);
            for (unsigned bit = 64; bit-- > 0;)
                std::fputc('0' + static_cast<int>(row[i + 1] >> bit & 1), file);
            std::fprintf(file, " s%zu\n", i);
        }
    }
    return std::fclose(file) == 0;
}

} // namespace tsim::rtl
