// SPDX-License-Identifier: Apache-2.0

/// What the part is, as npu_top takes it in after a reset: registers, so that nothing changes on the
/// way.
module npu_top_part (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        take_i,  // from registers: the next rising edge counts

  input  logic [7:0]  cfg_slots_i,
  input  logic [2:0]  cfg_strict_level_i,
  input  logic        cfg_weight_first_i,
  input  logic        cfg_reload_spent_i,
  input  logic [15:0] cfg_sdma_cap_i,
  input  logic [15:0] cfg_pcie_cap_i,
  input  logic [6:0]  cfg_sdma_channels_i,
  input  logic [6:0]  cfg_pcie_channels_i,
  input  logic [2:0]  cfg_sdma_shift_i,
  input  logic [2:0]  cfg_pcie_shift_i,
  input  logic [31:0] cfg_burst_bytes_i,
  input  logic [16:0] cfg_outstanding_i,
  input  logic [63:0] cfg_to_device_rate_i,
  input  logic [63:0] cfg_to_host_rate_i,
  input  logic [63:0] cfg_hbm_rate_i,
  input  logic [15:0] cfg_window_i,
  input  logic [16:0] cfg_events_i,
  input  logic [16:0] cfg_lines_i,
  input  logic [16:0] cfg_notifies_i,
  input  logic [63:0] cfg_read_i,
  input  logic [63:0] cfg_arbitration_i,
  input  logic [63:0] cfg_record_i,
  input  logic [63:0] cfg_enable_i,
  input  logic [63:0] cfg_drain_i,
  input  logic [63:0] cfg_disable_i,
  input  logic [63:0] cfg_decode_i,
  input  logic [63:0] cfg_event_i,
  input  logic [63:0] cfg_event_miss_i,
  input  logic [63:0] cfg_notify_i,
  input  logic [63:0] cfg_store_i,
  input  logic [63:0] cfg_retire_i,
  input  logic [63:0] cfg_cq_write_i,
  input  logic [63:0] cfg_sdma_setup_i,
  input  logic [63:0] cfg_pcie_setup_i,
  input  logic [63:0] cfg_credit_unit_i,
  input  logic [63:0] cfg_timeout_unit_i,

  output logic [7:0]  slots_o,
  output logic [2:0]  strict_level_o,
  output logic        weight_first_o,
  output logic        reload_spent_o,
  output logic [15:0] sdma_cap_o,
  output logic [15:0] pcie_cap_o,
  output logic [6:0]  sdma_channels_o,
  output logic [6:0]  pcie_channels_o,
  output logic [2:0]  sdma_shift_o,
  output logic [2:0]  pcie_shift_o,
  output logic [31:0] burst_bytes_o,
  output logic [16:0] outstanding_o,
  output logic [63:0] to_device_rate_o,
  output logic [63:0] to_host_rate_o,
  output logic [63:0] hbm_rate_o,
  output logic [15:0] window_o,
  output logic [16:0] events_o,
  output logic [16:0] lines_o,
  output logic [16:0] notifies_o,
  output logic [63:0] read_o,
  output logic [63:0] arbitration_o,
  output logic [63:0] record_o,
  output logic [63:0] enable_o,
  output logic [63:0] drain_o,
  output logic [63:0] disable_o,
  output logic [63:0] decode_o,
  output logic [63:0] event_o,
  output logic [63:0] event_miss_o,
  output logic [63:0] notify_o,
  output logic [63:0] store_o,
  output logic [63:0] retire_o,
  output logic [63:0] cq_write_o,
  output logic [63:0] sdma_setup_o,
  output logic [63:0] pcie_setup_o,
  output logic [63:0] credit_unit_o,
  output logic [63:0] timeout_unit_o
);

  logic part_clk;
  npu_clock_gate u_clock (
    .clk_i,
    .enable_i (take_i),
    .clk_o    (part_clk)
  );

  always_ff @(posedge part_clk or negedge rst_ni) begin
    if (!rst_ni) begin
      slots_o          <= '0;
      strict_level_o   <= '0;
      weight_first_o   <= 1'b0;
      reload_spent_o   <= 1'b0;
      sdma_cap_o       <= '0;
      pcie_cap_o       <= '0;
      sdma_channels_o  <= '0;
      pcie_channels_o  <= '0;
      sdma_shift_o     <= '0;
      pcie_shift_o     <= '0;
      burst_bytes_o    <= '0;
      outstanding_o    <= '0;
      to_device_rate_o <= '0;
      to_host_rate_o   <= '0;
      hbm_rate_o       <= '0;
      window_o         <= '0;
      events_o         <= '0;
      lines_o          <= '0;
      notifies_o       <= '0;
      read_o           <= '0;
      arbitration_o    <= '0;
      record_o         <= '0;
      enable_o         <= '0;
      drain_o          <= '0;
      disable_o        <= '0;
      decode_o         <= '0;
      event_o          <= '0;
      event_miss_o     <= '0;
      notify_o         <= '0;
      store_o          <= '0;
      retire_o         <= '0;
      cq_write_o       <= '0;
      sdma_setup_o     <= '0;
      pcie_setup_o     <= '0;
      credit_unit_o    <= '0;
      timeout_unit_o   <= '0;
    end else begin
      slots_o          <= cfg_slots_i;
      strict_level_o   <= cfg_strict_level_i;
      weight_first_o   <= cfg_weight_first_i;
      reload_spent_o   <= cfg_reload_spent_i;
      sdma_cap_o       <= cfg_sdma_cap_i;
      pcie_cap_o       <= cfg_pcie_cap_i;
      sdma_channels_o  <= cfg_sdma_channels_i;
      pcie_channels_o  <= cfg_pcie_channels_i;
      sdma_shift_o     <= cfg_sdma_shift_i;
      pcie_shift_o     <= cfg_pcie_shift_i;
      burst_bytes_o    <= cfg_burst_bytes_i;
      outstanding_o    <= cfg_outstanding_i;
      to_device_rate_o <= cfg_to_device_rate_i;
      to_host_rate_o   <= cfg_to_host_rate_i;
      hbm_rate_o       <= cfg_hbm_rate_i;
      window_o         <= cfg_window_i;
      events_o         <= cfg_events_i;
      lines_o          <= cfg_lines_i;
      notifies_o       <= cfg_notifies_i;
      read_o           <= cfg_read_i;
      arbitration_o    <= cfg_arbitration_i;
      record_o         <= cfg_record_i;
      enable_o         <= cfg_enable_i;
      drain_o          <= cfg_drain_i;
      disable_o        <= cfg_disable_i;
      decode_o         <= cfg_decode_i;
      event_o          <= cfg_event_i;
      event_miss_o     <= cfg_event_miss_i;
      notify_o         <= cfg_notify_i;
      store_o          <= cfg_store_i;
      retire_o         <= cfg_retire_i;
      cq_write_o       <= cfg_cq_write_i;
      sdma_setup_o     <= cfg_sdma_setup_i;
      pcie_setup_o     <= cfg_pcie_setup_i;
      credit_unit_o    <= cfg_credit_unit_i;
      timeout_unit_o   <= cfg_timeout_unit_i;
    end
  end
endmodule
